import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { decodePaymentRequiredHeader } from '@x402/core/http';

import { freePort } from '../../tools/chain/free-port';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { USDC_ADDRESS } from '../../tools/chain/test-usdc';
import { channelSettings } from '../channels/channel-world';
import { needsOwnParties } from '../contract/route-fixtures';
import { WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const HEADERS_MAX = 3_584;
/** The default of nginx. A larger answer is a 502 there. */
const PROXY_READS = 4_096;
const NETWORKS = ['eip155:8453', 'eip155:137', 'eip155:42161', 'eip155:10', 'eip155:43114'];
/** Routes by use that answer 402 to a call without a credential. Their bodies have at least one field. */
const BY_USE = [['/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }] }]] as const;

const hasNginx = (): boolean => {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

interface Reply {
  readonly status: number;
  readonly bytes: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

describe('the headers of a 402', () => {
  let chain: LocalChain;
  let second: LocalChain;
  let rich: WalletCaller;
  const worlds: { readonly name: string; readonly world: World; readonly url: string }[] = [];

  const open = async (name: string, settings: Readonly<Record<string, string>>): Promise<void> => {
    const port = await freePort();
    const world = await World.start({
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ...settings,
    });
    worlds.push({ name, world, url: await world.listen(port) });
  };
  const several = (count: number): Readonly<Record<string, string>> => ({
    X402_RELAYER_KEY: chain.accounts[0]!.privateKey,
    X402_CHANNEL_WITHDRAW_SECONDS: '900',
    X402_NETWORKS: JSON.stringify(
      NETWORKS.slice(0, count).map((network) => ({
        network,
        asset: USDC_ADDRESS,
        payTo: '0x000000000000000000000000000000000000bEEF',
        facilitator: 'local',
        // Only the first two chains exist, and only they offer channels.
        rpcUrl: (network === NETWORKS[1] ? second : chain).rpcUrl,
        finality: 2,
      })),
    ),
  });

  beforeAll(async () => {
    chain = await startLocalChain();
    second = await startLocalChain({ chainId: 137 });
    await open('one network with channels', channelSettings(chain));
    rich = await new WalletCaller().fund(worlds[0]!.world, 1n);
  });
  afterAll(async () => {
    for (const { world } of worlds) await world.stop();
    await chain.stop();
    await second.stop();
  });

  /** Asks like a proxy that reads at most 4 KB of headers. */
  const ask = async (
    url: string,
    body: object | undefined,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> => {
    const sent = request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      maxHeaderSize: PROXY_READS,
      agent: false,
    });
    sent.end(body === undefined ? undefined : JSON.stringify(body));
    const [reply] = (await once(sent, 'response')) as [IncomingMessage];
    let text = '';
    for await (const piece of reply) text += String(piece);
    const { rawHeaders } = reply;
    const bytes = rawHeaders.reduce(
      (sum, part) => sum + Buffer.byteLength(part) + 2,
      'HTTP/1.1 402 \r\n\r\n'.length,
    );
    return { status: reply.statusCode!, bytes, headers: reply.headers, body: text };
  };
  const paidPaths = async (world: World): Promise<readonly string[]> =>
    ((await world.get('/.well-known/x402')).body as { resources: string[] }).resources
      .map((url) => new URL(url).pathname)
      .filter((path) => !needsOwnParties(path));
  const everyAnswer = async (world: World, url: string): Promise<readonly (readonly [string, Reply])[]> => {
    const named = { 'x-wallet-address': rich.wallet };
    const answers: (readonly [string, Reply])[] = [];
    for (const path of await paidPaths(world)) {
      answers.push([path, await ask(url + path, undefined)]);
      answers.push([`${path} of a wallet with a balance`, await ask(url + path, undefined, named)]);
    }
    for (const [path, body] of BY_USE) answers.push([path, await ask(url + path, body)]);
    return answers;
  };

  it('fit into what a proxy reads, on every paid route', async () => {
    const { world, url } = worlds[0]!;

    for (const [name, { status, bytes, headers, body }] of await everyAnswer(world, url)) {
      expect([name, status]).toEqual([name, 402]);
      expect([name, bytes <= HEADERS_MAX, bytes]).toEqual([name, true, bytes]);
      const { accepts, extensions = {} } = decodePaymentRequiredHeader(String(headers['payment-required']));
      expect(accepts.length).toBeGreaterThan(0);
      expect(headers['www-authenticate'] !== undefined).toBe(accepts[0]?.scheme === 'exact');
      const whole = (JSON.parse(body) as { extensions: Record<string, object> }).extensions;
      expect(Object.keys(whole)).toEqual(['bazaar', 'payment-identifier']);
      if (!name.includes('wallet')) expect(Object.keys(extensions)).toEqual(['bazaar', 'payment-identifier']);
    }
  });

  it('name the balance of a wallet that holds one', async () => {
    const { url } = worlds[0]!;

    const { headers } = await ask(`${url}/v1/agent/chat`, undefined, { 'x-wallet-address': rich.wallet });

    const { extensions = {} } = decodePaymentRequiredHeader(String(headers['payment-required']));
    expect(Object.keys(extensions)).toContain('sign-in-with-x');
  });

  it('name it beside the offers of several networks, too', async () => {
    await open('5 networks, and a wallet with a balance', several(5));
    const { world, url } = worlds.at(-1)!;
    const wallet = await new WalletCaller().fund(world, 1n);

    const { headers, bytes } = await ask(`${url}/v1/agent/chat`, undefined, {
      'x-wallet-address': wallet.wallet,
    });

    const { accepts, extensions = {} } = decodePaymentRequiredHeader(String(headers['payment-required']));
    expect(Object.keys(extensions)).toContain('sign-in-with-x');
    expect([accepts[0]?.network, bytes <= HEADERS_MAX]).toEqual([NETWORKS[0], true]);
  });

  it.each([2, 5])('fit with %i networks, and the body has the offers of all', async (count) => {
    await open(`${count} networks`, several(count));
    const { world, url } = worlds.at(-1)!;

    for (const [name, { status, bytes, headers, body }] of await everyAnswer(world, url)) {
      expect([name, status]).toEqual([name, 402]);
      expect([name, bytes <= HEADERS_MAX, bytes]).toEqual([name, true, bytes]);
      const { accepts } = decodePaymentRequiredHeader(String(headers['payment-required']));
      const { offers = accepts } = JSON.parse(body) as { offers?: typeof accepts };
      expect(offers.slice(0, accepts.length)).toEqual(accepts);
      expect(accepts.length).toBeGreaterThanOrEqual(Math.min(offers.length, count, 3));
      const networksOf = (scheme: string): readonly string[] =>
        offers.filter((offer) => offer.scheme === scheme).map(({ network }) => network);
      if (!name.includes('chat/completions')) expect(networksOf('exact')).toEqual(NETWORKS.slice(0, count));
      if (!name.includes('top-up')) expect(networksOf('batch-settlement')).toEqual(NETWORKS.slice(0, 2));
    }
  });

  it('list the whole schema of each paid call among the paid resources', async () => {
    const { body } = await worlds[0]!.world.get('/.well-known/x402');

    const { resources, extensions } = body as {
      resources: string[];
      extensions: Record<
        string,
        { bazaar: { schema: { properties: { input: { properties: { body: { properties: object } } } } } } }
      >;
    };
    expect(Object.keys(extensions)).toEqual(resources);
    const generate = extensions[resources.find((url) => url.endsWith('/generate'))!]!;
    expect(Object.keys(generate.bazaar.schema.properties.input.properties.body.properties)).toContain(
      'aspectRatio',
    );
  });

  (hasNginx() ? it : it.skip)('pass through nginx with its defaults', async () => {
    const { world, url } = worlds[0]!;
    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'nginx-'));
    const config = join(folder, 'nginx.conf');
    writeFileSync(
      config,
      `daemon off; pid ${folder}/pid; error_log ${folder}/error.log; user root;
       events {}
       http {
         access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
         fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
         server { listen 127.0.0.1:${port}; location / { proxy_pass ${url}; } }
       }`,
    );
    const nginx: ChildProcess = spawn('nginx', ['-p', folder, '-c', config], { stdio: 'ignore' });
    try {
      const front = `http://127.0.0.1:${port}`;
      await expectEventually(
        async () => (await fetch(`${front}/health/live`).catch(() => undefined))?.ok === true,
      );
      for (const path of await paidPaths(world)) {
        const { status } = await ask(front + path, undefined);
        expect([path, status]).toEqual([path, 402]);
      }
    } finally {
      nginx.kill();
      await once(nginx, 'exit');
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
