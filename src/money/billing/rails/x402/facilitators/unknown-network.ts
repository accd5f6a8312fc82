import type { PartState } from '#platform/health/health-parts';
import { type ChainOutcome, Facilitator, type SettleAttempt, type Verdict } from './facilitator';

/**
 * Replaces the facilitator of a network that the settings do not have. It reports every outcome as unknown, and sends
 * nothing.
 */
export class UnknownNetwork extends Facilitator {
  readonly isPlay = false;
  readonly paysGas = false;
  readonly forgets = false;
  readonly seesBalances = false;

  verify(): Promise<Verdict> {
    return Promise.resolve({ outcome: 'unavailable' });
  }

  settle(): Promise<SettleAttempt> {
    return Promise.resolve({ outcome: 'unknown', why: 'network_not_configured' });
  }

  outcome(): Promise<ChainOutcome> {
    return Promise.resolve({ outcome: 'unknown' });
  }

  balanceOf(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  state(): Promise<PartState> {
    return Promise.resolve('down');
  }
}
