import type { Budget } from './budget.ts';
import type { ByChannel } from './channel.ts';
import { microOf } from './amounts.ts';
import { chosenOf } from './offer.ts';
import type { Payable } from './payable.ts';
import { COSTS_NOTHING, type Payer, costNothing, paidBy, reservationIdOf } from './payer.ts';
import type { Sender } from './sender.ts';
import { type Signer, readRequired, toBase64 } from './wallet.ts';

/**
 * The functions that the separate file of channels gets from here. So it uses the same error classes as the package.
 */
const SHARED = {
  microOf,
  chosenOf,
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
  readonly payable: Payable;
  readonly fetch: typeof fetch;
  /** The most unspent money in the channel. */
  readonly depositMicro: number;
}

export type ChannelParts = OwnParts & typeof SHARED;

// The name is a variable, so that bundlers do not resolve the module. It needs @x402/evm, which other users do not
// install.
const CHANNEL = '../esm/channel.js';

/** A payer by channel, loaded at the first call. `load` is for the command line. */
export interface Later extends Payer {
  load(): Promise<ByChannel>;
}

export const later = (parts: OwnParts): Later => {
  let payer: Promise<ByChannel> | undefined;
  const load = (): Promise<ByChannel> =>
    (payer ??= import(/* webpackIgnore: true */ /* @vite-ignore */ CHANNEL).then(
      (loaded: typeof import('./channel.ts')) => new loaded.ByChannel({ ...parts, ...SHARED }),
      (cause: unknown) => {
        throw new TypeError("pay: 'channel' needs npm install @x402/evm viem.", { cause });
      },
    ));
  const on =
    (name: keyof Payer) =>
    async (...call: never[]): Promise<never> =>
      ((await load())[name] as (...call: never[]) => Promise<never>).apply(await load(), call);
  return { load, buy: on('buy'), buyMetered: on('buyMetered'), open: on('open'), decide: on('decide') };
};
