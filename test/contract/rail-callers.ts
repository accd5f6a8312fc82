import { randomBytes } from 'node:crypto';

import { railNames } from '../../src/billing/rails';
import { AccountFunds } from '../../src/billing/ledger/account-funds';
import { creditsAccount, walletAccount } from '../../src/billing/ledger/account-id';
import { parseWallet } from '../../src/kernel/wallet-address';
import { signAuthorization } from '../../tools/chain/test-usdc';
import { KeyCaller, WalletCaller } from '../support/caller';
import type { World } from '../support/world';

export type Headers = Readonly<Record<string, string>>;

export const CHAT_URL = '/v1/agent/chat';

/** A caller who can pay on one rail, and whose money a test can read. */
export interface RailCaller {
  /** A new valid credential for this call. `price` is for calls without a challenge. */
  credential(body: object, price?: bigint, url?: string): Promise<Headers>;
  /** The remaining balance, on prepaid rails. */
  left(): Promise<bigint>;
  /** The payer's name in receipts. */
  readonly payer: string;
}

export type RailName = 'x402' | 'api-key' | 'wallet';

export interface RailFixture {
  caller(world: World, money: bigint): Promise<RailCaller>;
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

/** One for each rail. A new rail is tested by the contract once it has an entry here. */
export const RAIL_CALLERS: Readonly<Record<RailName, RailFixture>> = {
  x402: {
    async caller(world, money) {
      const wallet = new WalletCaller();
      await world.db.rows('insert into sandbox_wallet (wallet, balance_micro) values ($1, $2)', [
        wallet.wallet.toLowerCase(),
        money,
      ]);
      return {
        payer: wallet.wallet,
        left: () => onSandboxChain(world, wallet.wallet),
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

/** The rails of the sandbox. Channels need a chain, so test/channels tests them. */
export const sandboxRails = (): string[] => railNames().filter((name) => name !== 'channel');

/** Fails for a rail without an entry here. */
export const callersOf = (rail: string): RailFixture => {
  const fixture = (RAIL_CALLERS as Readonly<Record<string, RailFixture>>)[rail];
  if (fixture === undefined) throw new Error(`The rail ${rail} has no caller in rail-callers.ts.`);
  return fixture;
};
