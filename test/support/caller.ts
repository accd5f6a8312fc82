import { randomBytes } from 'node:crypto';

import { wrapFetchWithPayment } from '@x402/fetch';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { type PrivateKeyAccount, generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount, walletAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import { skipProof } from './browser';
import type { World } from './world';

/** A wallet that acts like a stock client. */
export class WalletCaller {
  readonly account: PrivateKeyAccount;

  constructor(readonly privateKey: `0x${string}` = generatePrivateKey()) {
    this.account = privateKeyToAccount(privateKey);
  }

  get wallet(): string {
    return this.account.address;
  }

  /** A `Sign-In-With-X` header in the shape of the contract. */
  async signIn(
    world: World,
    changes: { readonly issuedAt?: Date; readonly domain?: string; readonly resource?: string } = {},
  ): Promise<string> {
    const { issuedAt = new Date(), domain = world.settings.serviceDomain, resource } = changes;
    const message =
      `${domain} wants you to sign in with your Ethereum account:\n${this.wallet}\n\n\n` +
      `URI: ${world.settings.http.publicUrl}\nVersion: 1\nChain ID: 8453\n` +
      `Nonce: ${randomBytes(8).toString('hex')}\nIssued At: ${issuedAt.toISOString()}` +
      (resource === undefined ? '' : `\nResources:\n- ${resource}`);
    const signature = await this.account.signMessage({ message });
    return Buffer.from(JSON.stringify({ message, signature })).toString('base64');
  }

  /** Pays a 402 like @x402/fetch with its defaults, except for a higher spending cap. */
  payingFetch(): typeof fetch {
    const client = new x402Client().register('eip155:8453', new ExactEvmScheme(this.account));
    client.setSpendControls?.({ maxAmountPerPayment: '$1000' });
    return wrapFetchWithPayment(fetch, client);
  }

  /** Credits the prepaid balance without a payment, for tests that do not test top-ups. */
  async fund(world: World, amount: bigint): Promise<this> {
    const funds = world.app.get(AccountFunds, { strict: false });
    const account = walletAccount(parseWallet(this.wallet)!);
    await funds.topUp(account, micro(amount), `test:${randomBytes(8).toString('hex')}`);
    return this;
  }
}

/** An account with a key, made through the API. */
export class KeyCaller {
  private constructor(
    readonly accountId: string,
    readonly key: string,
    readonly keyId: string,
    readonly cookie: string,
  ) {}

  static async register(world: World, credits: bigint, more: object = {}): Promise<KeyCaller> {
    const origin = new URL(world.settings.http.publicUrl).origin;
    const email = `${randomBytes(6).toString('hex')}@example.test`;
    const account = await world.post('/v1/account/register', { email, password: 'correct horse battery' });
    await skipProof(world, account.body.id as string);
    const cookie = String(account.headers['set-cookie']).split(';')[0] ?? '';
    const made = await world.post(
      '/v1/account/keys',
      { name: 'test', expiresInDays: 30, ...more },
      { cookie, origin },
    );
    if (credits > 0n) {
      const funds = world.app.get(AccountFunds, { strict: false });
      await funds.topUp(creditsAccount(account.body.id), micro(credits), `test:${account.body.id}`);
    }
    return new KeyCaller(account.body.id, made.body.key, made.body.id, cookie);
  }
}
