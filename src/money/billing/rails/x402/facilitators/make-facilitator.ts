import type { Clock } from '#kernel/clock';
import type { Database } from '#platform/database/database';
import type { X402Metrics } from '../x402.metrics';
import type { Facilitator } from './facilitator';
import { Facilitators } from './facilitators';
import { HttpFacilitator } from './http-facilitator';
import { LocalFacilitator } from './local-facilitator';
import { SandboxChainRepository } from './sandbox-chain.repository';
import { SandboxFacilitator } from './sandbox-facilitator';
import { onNetwork } from './on-network';
import type { X402Settings } from '../x402.settings';

interface Needs {
  readonly settings: Pick<X402Settings, 'x402'>;
  readonly db: Database;
  readonly clock: Clock;
  readonly metrics: X402Metrics;
}

/** Makes the facilitator of the default network. */
export const makeFacilitator = ({ settings: { x402 }, db, clock, metrics }: Needs): Facilitator => {
  if (x402.facilitator === 'local') return new LocalFacilitator(x402, metrics);
  return x402.facilitator === 'http'
    ? new HttpFacilitator(x402)
    : new SandboxFacilitator(new SandboxChainRepository(db), clock);
};

export const makeFacilitators = (
  needs: Needs,
  make: typeof makeFacilitator = makeFacilitator,
): Facilitators => {
  const { x402 } = needs.settings;
  return new Facilitators(
    x402.networks.map((network) => [
      network.network,
      make({ ...needs, settings: { x402: onNetwork(x402, network) } }),
    ]),
  );
};
