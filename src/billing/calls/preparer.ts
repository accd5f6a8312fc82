import type { MaybePromise } from '../../kernel/maybe-promise';
import type { PayableCall } from '../rails/payable-call';
import type { PaidBody } from './paid-body';

/** The facts about a call before any money is held. */
export interface PreparedCall<Body extends PaidBody> extends PayableCall {
  readonly body: Body;
  /** Whether a check found enough money. Written before the preparation; undefined if there was no check. */
  covered?: boolean;
}

/** Makes a call ready to run before any money is held. An error here costs no money. */
export abstract class Preparer<Body extends PaidBody, Input = unknown> {
  /** Whether it fetches, decodes, copies or asks outside parties. If so, the payer's money is checked first. */
  isDear(_call: PreparedCall<Body>): boolean {
    return false;
  }

  /** `local` is for a dry run, which fetches, stores and sends nothing, and decodes nothing unpaid. */
  abstract prepare(call: PreparedCall<Body>, local: boolean): MaybePromise<Input>;

  /** Releases the prepared resources, however the call ended. */
  discard(_input: Input): MaybePromise<void> {
    return undefined;
  }
}
