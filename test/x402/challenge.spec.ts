import { parsePaymentRequired } from '@x402/core/schemas';
import { validateDiscoveryExtension } from '@x402/extensions/bazaar';
import { assertSIWxChallengeBoundToOrigin } from '@x402/extensions/sign-in-with-x';

import { ChatBody } from '#work/chat/chat.dto';
import { GenerateBody } from '#work/generation/generate.dto';
import { ImagesBody } from '#work/generation/images.dto';
import { VideosBody } from '#work/generation/videos.dto';
import { LedgerRepository } from '#money/billing/ledger/ledger.repository';
import type { PaidCall } from '#money/billing/calls/paid-call';
import { micro } from '#kernel/money';
import { validateAs } from '#platform/http/routes/validation';
import { cloneDatabase } from '../support/postgres';
import { type Wallet, X402World, callOf, newWallet, requiredOf } from './x402-world';
import { refusedOrigin } from '../support/closed-port';

const HEADER_MAX = 3 * 1024;
const FOX = { prompt: 'A red fox in the snow' };
const BODIES = [
  ['chat', ChatBody, { messages: [{ role: 'user', content: 'Say hello.' }] }],
  ['generate', GenerateBody, FOX],
  ['images', ImagesBody, FOX],
  ['videos', VideosBody, FOX],
] as const;

describe('the answer to an unpaid call', () => {
  let ours: X402World;
  let real: X402World;

  const fund = (wallet: Wallet) =>
    new LedgerRepository(ours.db).topUp(`wallet:${wallet.address}`, micro(5n), wallet.key);

  beforeAll(async () => {
    const url = await cloneDatabase();
    ours = await X402World.open(url);
    real = await X402World.open(url, {
      X402_FACILITATOR: 'http',
      X402_FACILITATOR_URL: `${await refusedOrigin()}/x402`,
      X402_PAY_TO: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
      PUBLIC_URL: 'https://api.example.com',
    });
  });

  afterAll(async () => {
    await ours.stop();
    await real.stop();
  });

  it('parses with the schemas of both versions', async () => {
    const error = await ours.ask();

    const first = parsePaymentRequired({ ...error.extras.body, error: 'x' });
    expect(parsePaymentRequired(requiredOf(error)).success).toBe(true);
    expect(first.success).toBe(true);
    expect(error.extras.body).toMatchObject({
      x402Version: 1,
      accepts: [
        {
          scheme: 'exact',
          network: 'base',
          maxAmountRequired: '10000',
          asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
          maxTimeoutSeconds: 300,
          extra: { name: 'USD Coin', version: '2' },
        },
      ],
    });
    expect(error.extras.headers?.['cache-control']).toBe('no-store');
    expect([error.kind, error.code]).toEqual(['payment_required', 'PAYMENT_REQUIRED']);
  });

  it('says in the sandbox that only test wallets should pay, and elsewhere does not', async () => {
    const [sandbox, live] = [await ours.ask(), await real.ask()];

    expect(sandbox.message).toBe(
      'This call costs $0.010000. Pay it with x402, an API key or a wallet balance. ' +
        'This is a sandbox: pay with test wallets only, no real money is taken.',
    );
    expect(live.message).toBe('This call costs $0.010000. Pay it with x402, an API key or a wallet balance.');
    expect(requiredOf(live)).toMatchObject({
      resource: { url: 'https://api.example.com/v1/agent/chat', serviceName: 'Lamppost' },
      accepts: [{ payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C' }],
    });
  });

  it('leaves a long run the time to end and to be settled', async () => {
    const call = callOf();
    const long = { ...call, route: { ...call.route, runSecondsMax: 600 } } as PaidCall;

    const error = await ours.challenge.paymentRequired(long, micro(10_000n));

    expect(requiredOf(error).accepts[0]).toMatchObject({ maxTimeoutSeconds: 750 });
  });

  it.each(BODIES)('explains to crawlers how to call %s, in less than 3 KB', async (name, body, sent) => {
    const wallet = newWallet();
    await fund(wallet);
    const call = callOf({ headers: { 'x-wallet-address': wallet.address }, url: `/v1/agent/${name}` });

    const error = await ours.challenge.paymentRequired(
      { ...call, route: { ...call.route, body, example: { body: sent, answer: {} } } } as unknown as PaidCall,
      micro(83_076_924n),
    );

    const { extensions } = requiredOf(error);
    expect(Object.keys(extensions).sort()).toEqual(['bazaar', 'payment-identifier', 'sign-in-with-x']);
    expect(error.extras.headers?.['payment-required']?.length).toBeLessThan(HEADER_MAX);
    const { bazaar } = extensions as { bazaar: Parameters<typeof validateDiscoveryExtension>[0] };
    expect(validateDiscoveryExtension(bazaar).valid).toBe(true);
    const { body: example } = bazaar.info.input as { body: unknown };
    expect(() => validateAs(body as new () => object, example)).not.toThrow();
  });

  it('offers the balance only to a wallet that was named and holds one', async () => {
    const rich = newWallet();
    await fund(rich);
    const named = (wallet: string) => ours.ask({ headers: { 'x-wallet-address': wallet } });
    const byBody = { body: { prompt: 'a red fox', payer: rich.address } };

    const challenges = await Promise.all([
      ours.ask(),
      named(newWallet().address),
      named('junk'),
      named(rich.address),
      ours.ask(byBody),
    ]);

    const offers = challenges.map((error) => requiredOf(error).extensions['sign-in-with-x']);
    expect(offers.map((offer) => offer !== undefined)).toEqual([false, false, false, true, true]);
    const { info } = offers[3] as { info: Parameters<typeof assertSIWxChallengeBoundToOrigin>[0] };
    expect(() => assertSIWxChallengeBoundToOrigin(info, 'http://127.0.0.1:3000/v1/agent/chat')).not.toThrow();
  });

  it('names the code, the reason and the proof that belong to a problem', async () => {
    const error = await ours.challenge.paymentRequired(callOf(), micro(10_000n), {
      code: 'INSUFFICIENT_FUNDS',
      message: 'The balance is too low.',
      headers: { 'payment-response': 'proof' },
    });

    expect(error.code).toBe('INSUFFICIENT_FUNDS');
    expect(error.message).toContain('The balance is too low.');
    expect(error.extras.headers).toMatchObject({ 'payment-response': 'proof' });
  });
});
