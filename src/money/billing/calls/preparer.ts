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
  /**
   * Whether the preparation fetches, decodes, copies or asks outside parties. If so, the service checks the payer's
   * money first.
   */
  isCostly(_call: PreparedCall<Body>): boolean {
    return false;
  }

  /**
   * `local` is true for a dry run, which fetches and sends nothing, and decodes nothing before a check of the payer's
   * money.
   */
  abstract prepare(call: PreparedCall<Body>, local: boolean): Promise<Input> | Input;

  /** Releases the prepared resources, however the call ended. */
  discard(_input: Input): Promise<void> | void {
    return undefined;
  }
}
