import { Injectable } from '@nestjs/common';

import { micro } from '#kernel/money';
import { type ChannelFilter, ChannelRepository, type ChannelSums } from './channel.repository';
import type { Channel } from './channel.entity';
import { ChannelTerms } from './channel-terms';

/** A network with its sums. `isOffered` is false if only older channels are left. */
export interface NetworkReport extends ChannelSums {
  readonly isOffered: boolean;
  readonly lastClaim?: { readonly at: Date; readonly transaction: string };
}

const NOTHING = micro(0n);
const EMPTY = { open: 0, owed: NOTHING, claimed: NOTHING, atRisk: NOTHING, unspent: NOTHING };

/** Reports channels to operators: the sums of each network, and lists. */
@Injectable()
export class ChannelReport {
  constructor(
    private readonly channels: ChannelRepository,
    private readonly terms: ChannelTerms,
  ) {}

  /** The sums of every network that offers channels or has channels. */
  async sums(): Promise<readonly ChannelSums[]> {
    const ours = await this.ours();
    const found = await this.channels.sums(ours);
    const empty = ours.filter(({ network }) => !found.some((sums) => sums.network === network));
    return [...found, ...empty.map(({ network }) => ({ network, ...EMPTY }))];
  }

  async networks(): Promise<readonly NetworkReport[]> {
    const [ours, sums, claims] = await Promise.all([this.ours(), this.sums(), this.channels.lastClaims()]);
    return sums.map((one) => ({
      ...one,
      isOffered: ours.some(({ network }) => network === one.network),
      lastClaim: claims.get(one.network),
    }));
  }

  async page(state: ChannelFilter | undefined, limit: number, after?: string): Promise<readonly Channel[]> {
    return this.channels.page(await this.ours(), state, limit, after);
  }

  /** The wallets that sign our claims, one for each network. */
  private async ours() {
    const terms = await this.terms.all();
    return terms.map(({ on: { network }, authorizer }) => ({ network, authorizer }));
  }
}
