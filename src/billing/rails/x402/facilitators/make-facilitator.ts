import type { Clock } from '../../../../kernel/clock';
import type { Settings } from '../../../../platform/config/settings';
import type { Database } from '../../../../platform/database/database';
import type { Metrics } from '../../../../platform/telemetry/metrics';
import type { Facilitator } from './facilitator';
import { HttpFacilitator } from './http-facilitator';
import { LocalFacilitator } from './local-facilitator';
import { SandboxChainRepository } from './sandbox-chain.repository';
import { SandboxFacilitator } from './sandbox-facilitator';

interface Needs {
  readonly settings: Settings;
  readonly db: Database;
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** Makes the facilitator of the settings. */
export const makeFacilitator = ({ settings: { x402 }, db, clock, metrics }: Needs): Facilitator => {
  if (x402.facilitator === 'local') {
    return new LocalFacilitator(x402, metrics);
  }
  return x402.facilitator === 'http'
    ? new HttpFacilitator(x402)
    : new SandboxFacilitator(new SandboxChainRepository(db), clock);
};
