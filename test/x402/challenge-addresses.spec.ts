import { decodePaymentRequiredHeader } from '@x402/core/http';

import { WalletCaller } from '../support/caller';
import { type RawAnswer, sendRaw } from '../support/raw-http';
import { World } from '../support/world';

const PATH = '/v1/agent/chat';
const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] });
/** By default, nginx reads these bytes of headers. It answers 502 to more, and may send that process nothing for ten seconds. */
const PROXY_READS = 4_096;
/** Nearly as much as the service reads of a request's headers. */
const LONG = 'a'.repeat(60_000);

/** Addresses that the router leads to the same route. */
const SPELLINGS = [
  ['as it is declared', PATH],
  ['with a query', `${PATH}?${LONG}`],
  ['with a fragment', `${PATH}#${LONG}`],
  ['with a host', `http://${LONG}${PATH}`],
  ['with a slash at its end', `${PATH}/`],
  ['with encoded letters', PATH.replaceAll('a', '%61')],
] as const;

const SENT = { messages: [{ role: 'user', content: 'hi' }], max_tokens: 16 };

/** A wallet with a balance calls an address, signs in as the 402 offers it or for what it has sent, and is served. */
const expectSignedIn = async (world: World, address: string): Promise<void> => {
  const caller = await new WalletCaller().fund(world, 1_000_000n);
  const { headers } = await world.post(address, SENT, { 'x-wallet-address': caller.wallet });
  const { extensions } = decodePaymentRequiredHeader(String(headers['payment-required']));
  const offer = extensions!['sign-in-with-x'] as { info: { resources: string[] } };

  for (const resource of [offer.info.resources[0]!, world.settings.http.publicUrl + address]) {
    const signIn = await caller.signIn(world, { resource });
    const { status, body } = await world.post(address, SENT, { 'sign-in-with-x': signIn });
    expect([resource, status, body.error?.message]).toEqual([resource, 200, undefined]);
  }
};

describe('the address in a 402', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    world = await World.start();
    url = await world.listen();
  });
  afterAll(() => world.stop());

  const ask = (address: string): Promise<RawAnswer> =>
    sendRaw(
      url,
      `POST ${address} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${BODY.length}\r\n\r\n${BODY}`,
    );

  it.each(SPELLINGS)('is that of the route, if a stranger sends it %s', async (_, address) => {
    const { status, headers, body } = await ask(address);

    expect(status).toBe(402);
    const bytes = Object.entries(headers).reduce((sum, pair) => sum + pair.join(': \r\n').length, 0);
    expect(bytes).toBeLessThan(PROXY_READS);
    const resource = `${world.settings.http.publicUrl}${PATH}`;
    expect(decodePaymentRequiredHeader(headers['payment-required']!).resource.url).toBe(resource);
    expect((body.accepts as { resource: string }[]).map((offer) => offer.resource)).toEqual([resource]);
  });

  it.each([PATH, `${PATH}/`, `${PATH}#a`, `${PATH}?a=1`, PATH.replaceAll('a', '%61')])(
    'may be signed by a wallet with a balance that sends %s',
    (address) => expectSignedIn(world, address),
  );

  it('may not be signed for another route', async () => {
    const caller = await new WalletCaller().fund(world, 1_000_000n);
    const signIn = await caller.signIn(world, {
      resource: `${world.settings.http.publicUrl}/v1/agent/generate`,
    });

    for (const address of [PATH, `${PATH}/`, `${PATH}#/v1/agent/generate`, `${PATH}?/v1/agent/generate`])
      expect((await world.post(address, SENT, { 'sign-in-with-x': signIn })).status).toBe(401);
  });
});

describe('the address in a 402 of a service whose public address has a path', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ PUBLIC_URL: 'http://127.0.0.1:3999/lamps' });
  });
  afterAll(() => world.stop());

  it('may be signed by a wallet with a balance', () => expectSignedIn(world, PATH));
});
