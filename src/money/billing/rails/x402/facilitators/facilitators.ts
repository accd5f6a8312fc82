import { Facilitator } from './facilitator';
import { UnknownNetwork } from './unknown-network';

export class Facilitators {
  private readonly byNetwork: ReadonlyMap<string, Facilitator>;
  private readonly unknown = new UnknownNetwork();

  /** The default network is the first. */
  constructor(readonly all: readonly (readonly [network: string, facilitator: Facilitator])[]) {
    this.byNetwork = new Map(all);
  }

  /** A payment stays in doubt while its network is not configured. */
  on(network: string): Facilitator {
    return this.byNetwork.get(network) ?? this.unknown;
  }

  /** Whether no network takes real money. */
  get isPlay(): boolean {
    return this.all.every(([, facilitator]) => facilitator.isPlay);
  }
}
