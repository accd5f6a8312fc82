import type { Budget } from './budget.ts';
import type { ByChannel } from './channel.ts';
import { microOf } from './amounts.ts';
import { objectionTo } from './offer.ts';
import { COSTS_NOTHING, type Payer, costNothing, paidBy, reservationIdOf } from './payer.ts';
import type { Request, Sender } from './sender.ts';
import { type Signer, readRequired, toBase64 } from './wallet.ts';

/** For the separate file of channels, which so shares the package's classes of errors. */
const SHARED = {
  microOf,
  objectionTo,
  COSTS_NOTHING,
  costNothing,
  paidBy,
  reservationIdOf,
  readRequired,
  toBase64,
};

interface OwnParts {
  readonly sender: Sender;
  readonly budget: Budget;
  readonly signer: Signer;
  readonly assets: readonly string[];
  readonly fetch: typeof fetch;
  /** The most unspent money in the channel. */
  readonly depositMicro: number;
  readonly rpcUrl: string | undefined;
}

export type ChannelParts = OwnParts & typeof SHARED;

// Under a name that bundlers do not resolve: it needs @x402/evm, which others do not install.
const CHANNEL = '../esm/channel.js';

/** A payer by channel, loaded by the first call. */
export class Later implements Payer {
  readonly #parts: OwnParts;
  #payer: Promise<ByChannel> | undefined;

  constructor(parts: OwnParts) {
    this.#parts = parts;
  }

  load(): Promise<ByChannel> {
    this.#payer ??= import(CHANNEL).then(
      (loaded: typeof import('./channel.ts')) => new loaded.ByChannel({ ...this.#parts, ...SHARED }),
      (error: unknown) => {
        throw new TypeError("pay: 'channel' needs two more packages: npm install @x402/evm viem.", {
          cause: error,
        });
      },
    );
    return this.#payer;
  }

  async buy(...call: Parameters<Payer['buy']>): Promise<never> {
    return (await this.load()).buy(...call) as Promise<never>;
  }
  async buyMetered(call: Request): Promise<never> {
    return (await this.load()).buyMetered(call) as Promise<never>;
  }
  async open(call: Request): ReturnType<Payer['open']> {
    return (await this.load()).open(call);
  }
  async decide(...call: Parameters<Payer['decide']>): Promise<void> {
    return (await this.load()).decide(...call);
  }
}
