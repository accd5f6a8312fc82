import type { MaybePromise } from '../../kernel/maybe-promise';
import type { PayableCall } from '../rails/payable-call';
import type { PaidBody } from './paid-body';

/** What is known of a call before any money is held. */
export interface PreparedCall<Body extends PaidBody> extends PayableCall {
  readonly body: Body;
  /** Whether money was seen that covers it, where anybody looked: written before it is prepared. */
  covered?: boolean;
}

/** Makes a call ready to run before any money is held. What it throws costs nobody anything. */
export abstract class Preparer<Body extends PaidBody, Input = unknown> {
  /** Whether it fetches, decodes, copies or asks outside: then the payer's money is looked at first. */
  isDear(_call: PreparedCall<Body>): boolean {
    return false;
  }

  /** `local` is what a dry run does: nothing is fetched, stored or sent outside, and nothing decoded that isn't covered. */
  abstract prepare(call: PreparedCall<Body>, local: boolean): MaybePromise<Input>;

  /** Lets go of what was made ready, however the call ended. */
  discard(_input: Input): MaybePromise<void> {
    return undefined;
  }
}
