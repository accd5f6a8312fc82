import { randomBytes } from 'node:crypto';

import { keccak256, toBytes } from 'viem';

import { railNames } from '#money/billing/rails/rail-order';
import { ChannelClaims } from '#money/billing/rails/channel/channel-claims';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount, walletAccount } from '#money/billing/ledger/account-id';
import { parseWallet } from '#kernel/wallet-address';
import { signAuthorization } from '../../tools/chain/test-usdc';
import { chainOf } from '../channels/channel-world';
import { KeyCaller, WalletCaller } from '../support/caller';
import { ChannelCaller } from '../support/channel-caller';
import type { World } from '../support/world';
import { fixtureOf } from './fixtures';

export type Headers = Readonly<Record<string, string>>;

export const CHAT_URL = '/v1/agent/chat';

/** A caller who can pay on one rail, and whose money a test can read. */
export interface RailCaller {
  /** A new valid credential for this call. `price` is for calls without a challenge. */
  credential(body: object, price?: bigint, url?: string): Promise<Headers>;
  /** The money that the caller still has: the prepaid balance, or the money on the chain. */
  left(): Promise<bigint>;
  /** The prepaid balance that refunds of settled payments went to. Absent if `left` contains them. */
  credited?(): Promise<bigint>;
  /** The payer's name in receipts. */
  readonly payer: string;
}

export type RailName = 'x402' | 'api-key' | 'wallet';

export interface RailFixture {
  caller(world: World, money: bigint): Promise<RailCaller>;
  /** The name of the rail in receipts, if this is another wire format of that rail. */
  readonly rail?: string;
  /** Its credential answers the challenge of its own call, so no call without a challenge has one. */
  readonly asksFirst?: true;
  /** Its callers pay one call after another. */
  readonly isSerial?: true;
  /** The code for a payer without enough money. By default it is `INSUFFICIENT_FUNDS`. */
  readonly short?: string;
  /** Collects what payers owe. A refund of a settled payment waits for it. */
  collect?(world: World): Promise<void>;
  /** An invalid credential of this rail. */
  readonly bad: Headers;
  readonly refusal: { readonly status: 401 | 402; readonly code: string };
}

const decoded = (header: string | undefined): { accepts: [Record<string, unknown>]; resource: object } =>
  JSON.parse(Buffer.from(header ?? '', 'base64').toString('utf8')) as never;

interface PaymentOptions {
  /** Signs this price instead of that of a challenge. */
  readonly price?: bigint | undefined;
  readonly paymentId?: string;
  readonly url?: string | undefined;
}

/** The payment header of a v2 client that accepts the offer of a 402. */
export const signedPayment = async (
  world: World,
  { privateKey }: WalletCaller,
  body: object,
  { price, paymentId, url = CHAT_URL }: PaymentOptions = {},
): Promise<string> => {
  const challenge = await world.post(url, price === undefined ? body : {});
  const { accepts, resource } = decoded(challenge.headers['payment-required']);
  const [offered] = accepts;
  const { quote, ...extra } = offered['extra'] as Record<string, string>;
  const amount = price?.toString() ?? String(offered['amount']);
  const { authorization, signature } = await signAuthorization(privateKey, {
    to: offered['payTo'] as `0x${string}`,
    value: BigInt(amount),
  });
  const wire = Object.entries(authorization).map(([name, value]) => [name, String(value)]);
  const payment = {
    x402Version: 2,
    resource,
    accepted: { ...offered, amount, extra: { ...extra, ...(price === undefined && { quote }) } },
    payload: { signature, authorization: Object.fromEntries(wire) as object },
    ...(paymentId && { extensions: { 'payment-identifier': { info: { required: false, id: paymentId } } } }),
  };
  return Buffer.from(JSON.stringify(payment)).toString('base64');
};

/** The balance of a wallet at the sandbox facilitator, which replaces a chain in these tests. */
const onSandboxChain = async (world: World, wallet: string): Promise<bigint> => {
  const [row] = await world.db.rows<{ balance: string }>(
    'select balance_micro as balance from sandbox_wallet where wallet = $1',
    [wallet.toLowerCase()],
  );
  return BigInt(row?.balance ?? 0);
};

const prepaidOf = (world: World, wallet: string): Promise<bigint> =>
  world.app.get(AccountFunds, { strict: false }).balance(walletAccount(parseWallet(wallet)!));

interface ChannelRow {
  readonly id: string;
  readonly charged: string;
  readonly balance: string;
}

/** A payment by channel, with the stock client. The first call of a caller deposits all of its money. */
const channelCaller = async (world: World, money: bigint): Promise<RailCaller> => {
  const chain = chainOf(world);
  const most = (least: string): bigint => (money > BigInt(least) ? money : BigInt(least));
  const caller = new ChannelCaller(chain, 0n, undefined, ({ minimumDepositAmount: least }) => most(least));
  await caller.minted(money);
  const row = (): Promise<ChannelRow | undefined> =>
    world.db.one<ChannelRow>(
      `select id, charged_micro::text as charged, balance_micro::text as balance from channel where payer = $1`,
      [caller.wallet.toLowerCase()],
    );
  const signed = async (body: object, price: bigint | undefined, url: string): Promise<string> => {
    const { headers } = await world.post(url, price === undefined ? body : {});
    const { accepts } = decoded(headers['payment-required']);
    const offered = accepts.find(({ scheme }) => scheme === 'batch-settlement')!;
    const { quote, ...extra } = offered['extra'] as Record<string, unknown>;
    const accepted =
      price === undefined
        ? { ...offered, extra: { ...extra, quote } }
        : { ...offered, extra, amount: price.toString() };
    const payment = await caller.scheme.createPaymentPayload(2, accepted as never);
    return Buffer.from(JSON.stringify({ ...payment, accepted })).toString('base64');
  };
  /** A client sends the same payment for the same call until the channel's total has changed. */
  const made = new Map<string, Promise<string>>();
  return {
    payer: caller.wallet,
    left: async () => {
      const channel = await row();
      const unspent = channel === undefined ? 0n : BigInt(channel.balance) - BigInt(channel.charged);
      return (await chain.usdc.balanceOf(caller.account.address)) + unspent;
    },
    credited: () => prepaidOf(world, caller.wallet),
    credential: async (body, price, url = CHAT_URL) => {
      const channel = await row();
      if (channel !== undefined) {
        const { charged: chargedCumulativeAmount, balance } = channel;
        await caller.storage.set(channel.id.toLowerCase(), { chargedCumulativeAmount, balance });
      }
      const call = JSON.stringify([body, url, String(price), channel?.charged ?? '0']);
      const payment = made.get(call) ?? signed(body, price, url);
      made.set(call, payment);
      return { 'payment-signature': await payment };
    },
  };
};

const CHALLENGE = /^Payment id="([^"]+)", realm="([^"]+)", method="evm", intent="charge", request="([^"]+)"/;

/** The answer to the challenge of MPP in a 402, by the specification of its method `evm`. */
const mppCredential = async (
  world: World,
  { privateKey }: WalletCaller,
  body: object,
  url: string,
): Promise<string> => {
  const { headers } = await world.post(url, body);
  const [, id = '', realm = '', request = ''] = CHALLENGE.exec(headers['www-authenticate'] ?? '') ?? [];
  const asked = JSON.parse(Buffer.from(request, 'base64url').toString()) as Record<string, string>;
  const { authorization, signature } = await signAuthorization(privateKey, {
    to: asked['recipient'] as `0x${string}`,
    value: BigInt(asked['amount']!),
    nonce: keccak256(toBytes(id + realm)),
  });
  const wire = Object.entries(authorization).map(([name, value]) => [name, String(value)]);
  const sent = {
    challenge: { id, realm, method: 'evm', intent: 'charge', request },
    payload: { type: 'authorization', ...(Object.fromEntries(wire) as object), signature },
  };
  return `Payment ${Buffer.from(JSON.stringify(sent)).toString('base64url')}`;
};

/** A wallet with money at the sandbox facilitator. */
const sandboxWallet = async (world: World, money: bigint): Promise<WalletCaller> => {
  const wallet = new WalletCaller();
  await world.db.rows('insert into sandbox_wallet (wallet, balance_micro) values ($1, $2)', [
    wallet.wallet.toLowerCase(),
    money,
  ]);
  return wallet;
};

/** One for each of our rails that needs no chain. */
export const RAIL_CALLERS: Readonly<Record<RailName, RailFixture>> = {
  x402: {
    async caller(world, money) {
      const wallet = await sandboxWallet(world, money);
      return {
        payer: wallet.wallet,
        left: () => onSandboxChain(world, wallet.wallet),
        credited: () => prepaidOf(world, wallet.wallet),
        credential: async (body, price, url) => ({
          'payment-signature': await signedPayment(world, wallet, body, { price, url }),
        }),
      };
    },
    bad: { 'payment-signature': Buffer.from('{"x402Version":2}').toString('base64') },
    refusal: { status: 402, code: 'INVALID_PAYMENT' },
  },
  'api-key': {
    async caller(world, money) {
      const { key, accountId } = await KeyCaller.register(world, money);
      const funds = world.app.get(AccountFunds, { strict: false });
      return {
        payer: accountId,
        left: () => funds.balance(creditsAccount(accountId)),
        credential: () => Promise.resolve({ 'x-api-key': key }),
      };
    },
    bad: { 'x-api-key': `lp_${'A'.repeat(64)}` },
    refusal: { status: 401, code: 'KEY_NOT_FOUND' },
  },
  wallet: {
    async caller(world, money) {
      const wallet = await new WalletCaller().fund(world, money);
      const funds = world.app.get(AccountFunds, { strict: false });
      return {
        payer: wallet.wallet,
        left: () => funds.balance(walletAccount(parseWallet(wallet.wallet)!)),
        credential: async () => ({ 'sign-in-with-x': await wallet.signIn(world) }),
      };
    },
    bad: { 'sign-in-with-x': randomBytes(40).toString('base64') },
    refusal: { status: 401, code: 'INVALID_SIGN_IN' },
  },
};

/** The rails that need a chain, and further wire formats of a rail. */
const FURTHER: Readonly<Record<string, RailFixture>> = {
  channel: {
    caller: channelCaller,
    isSerial: true,
    // The chain refuses the deposit.
    short: 'INVALID_PAYMENT',
    collect: async (world) => {
      await world.app.get(ChannelClaims, { strict: false }).claimOwed();
    },
    bad: {
      'payment-signature': Buffer.from(
        '{"x402Version":2,"accepted":{"scheme":"batch-settlement"},"payload":{}}',
      ).toString('base64'),
    },
    refusal: { status: 402, code: 'INVALID_PAYMENT' },
  },
  mpp: {
    rail: 'x402',
    asksFirst: true,
    async caller(world, money) {
      const wallet = await sandboxWallet(world, money);
      return {
        payer: wallet.wallet,
        left: () => onSandboxChain(world, wallet.wallet),
        credited: () => prepaidOf(world, wallet.wallet),
        credential: async (body, _price, url = CHAT_URL) => ({
          authorization: await mppCredential(world, wallet, body, url),
        }),
      };
    },
    bad: { authorization: 'Payment e30' },
    refusal: { status: 402, code: 'INVALID_PAYMENT' },
  },
};

/** The rails that need no chain, because the sandbox executes their payments. */
export const sandboxRails = (): string[] => railNames().filter((name) => name !== 'channel');

/** Every way to pay: each rail, and each further wire format of a rail. Only channels need a chain. */
export const waysToPay = (rails: readonly string[] = railNames()): string[] => [
  ...rails,
  ...Object.keys(FURTHER).filter((way) => rails.includes(FURTHER[way]!.rail ?? '')),
];

/** A rail that is not listed here has a file `<name>.rail-callers.ts`. */
export const callersOf = (way: string): RailFixture =>
  fixtureOf<RailFixture>('rail-callers', way, { ...RAIL_CALLERS, ...FURTHER });
