import type { PaidBody } from './paid-body';
import type { PaidCall } from './paid-call';

/** Makes a call ready to run before any money is held. What it throws costs nobody anything. */
export abstract class Preparer<Body extends PaidBody, Input = unknown> {
  /** Whether it fetches, decodes, copies or asks outside: then the payer's money is looked at first. */
  isDear(_call: PaidCall<Body>): boolean {
    return false;
  }

  /** `local` is what a dry run does: nothing is fetched, stored or sent outside. */
  abstract prepare(call: PaidCall<Body>, local: boolean): Promise<Input>;

  /** Lets go of what was made ready, however the call ended. */
  discard(_input: Input): Promise<void> {
    return Promise.resolve();
  }
}
