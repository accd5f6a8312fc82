import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  Lamppost,
  LamppostError,
  type LamppostOptions,
  type LogEntry,
  NoAnswer,
  type Retry,
} from '../../clients/typescript/src/lamppost';
import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { refusedOrigin } from '../support/closed-port';
import { installClient, runCommand } from '../support/code-blocks';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { World } from '../support/world';

const KEY = 'lp_0123456789';

/** A service that answers as a test demands, or not at all. */
class Slow extends LoopbackServer {
  readonly received: string[] = [];
  answer: (response: ServerResponse, at: number) => void = () => undefined;

  protected override serve({ method, path }: Received, response: ServerResponse): void {
    this.received.push(`${method} ${path}`);
    this.answer(response, this.received.length);
  }

  refuse(status: number, code: string | undefined, headers: Readonly<Record<string, string>> = {}): void {
    this.answer = (response) => {
      const retryable = status >= 500 || status === 429;
      const body =
        code === undefined ? '<html>' : JSON.stringify({ error: { code, message: code, retryable } });
      response.writeHead(status, headers).end(body);
    };
  }
}

const failureOf = (call: Promise<unknown>): Promise<Error> =>
  call.then(
    () => new Error('It went well.'),
    (error: unknown) => error as Error,
  );

describe('the patience of the client', () => {
  let slow: Slow;

  beforeEach(async () => {
    slow = await new Slow().start();
  });
  afterEach(() => slow.stop());

  const clientOf = (more: Partial<LamppostOptions> = {}): Lamppost =>
    new Lamppost({ baseUrl: slow.origin, key: KEY, ...more });

  describe('ends', () => {
    it.each<[string, (client: Lamppost) => Promise<unknown>]>([
      ['a call', (client) => client.chat('Hello.')],
      ['a stream', (client) => client.stream('Hello.').next()],
      ['a look at what there is', (client) => client.models()],
    ])('%s that nobody answers', async (_, call) => {
      const error = await failureOf(call(clientOf({ timeoutMs: 100, tries: 1 })));

      expect(error).toBeInstanceOf(NoAnswer);
      expect((error.cause as Error).name).toBe('TimeoutError');
    });

    it('as one call says, before what the client says', async () => {
      const client = clientOf({ timeoutMs: 60_000 });

      await expect(client.chat('Hello.', { timeoutMs: 500, tries: 2 })).rejects.toBeInstanceOf(NoAnswer);
      expect(slow.received).toHaveLength(2);
    });

    it('a stream in which nothing comes any more', async () => {
      slow.answer = (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n');
      };
      const stream = clientOf({ timeoutMs: 1_000, tries: 1 }).stream('Hello.');

      expect(await stream.next()).toMatchObject({ value: { text: 'Hel' } });
      await expect(stream.next()).rejects.toBeInstanceOf(NoAnswer);
    });

    it.each(['bytes', 'blob', 'save'] as const)(
      'the %s of a file of which nothing comes any more',
      async (how) => {
        slow.answer = (response, at) => {
          if (at > 1) response.writeHead(200, { 'content-length': '1000' }).write('some');
          else response.end(JSON.stringify({ status: 'done', url: `${slow.origin}/media/x` }));
        };
        const made = await clientOf({ timeoutMs: 1_000, tries: 1 }).image('A fox');
        const file = join(mkdtempSync(join(tmpdir(), 'slow-')), 'fox.png');

        const error = await failureOf(how === 'save' ? made.save(file) : made[how]());
        expect(error).toBeInstanceOf(NoAnswer);
        expect((error.cause as Error).name).toBe('TimeoutError');
      },
    );

    it('a file that breaks off, and starts it again', async () => {
      const content = Buffer.alloc(10_000, 7);
      slow.answer = (response, at) => {
        if (at === 1) response.end(JSON.stringify({ status: 'done', url: `${slow.origin}/media/x` }));
        else if (at > 3) response.end(content);
        else response.writeHead(200, { 'content-length': '10000' }).write('some', () => response.destroy());
      };
      const made = await clientOf().image('A fox');
      const file = join(mkdtempSync(join(tmpdir(), 'broken-')), 'fox.png');
      await made.save(file);

      expect(readFileSync(file).equals(content)).toBe(true);
      expect(slow.received).toHaveLength(4);
    });

    it('a file as its caller says', async () => {
      slow.answer = (response, at) => {
        if (at > 1) response.writeHead(200).write('some');
        else response.end(JSON.stringify({ status: 'done', url: `${slow.origin}/media/x` }));
      };
      const made = await clientOf().image('A fox');

      await expect(made.bytes({ signal: AbortSignal.timeout(50) })).rejects.toThrow('aborted');
    });

    it('each of twenty calls, also after a collection of garbage', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'garbage-'));
      const program = `import { Lamppost } from '${join(installClient(), 'lamppost.js')}';
        const client = new Lamppost({ baseUrl: '${slow.origin}', key: '${KEY}', timeoutMs: 1500, tries: 1 });
        const stop = new AbortController();
        const calls = Array.from({ length: 20 }, () => client.chat('Hello.', { signal: stop.signal }));
        const ended = Promise.allSettled(calls);
        for (let time = 0; time < 12; time += 1) {
          globalThis.gc();
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        const late = new Promise((resolve) => setTimeout(resolve, 5000, []));
        const outcomes = await Promise.race([ended, late]);
        console.log(outcomes.filter(({ reason }) => reason?.code === 'NO_ANSWER').length);
        process.exit();`;
      writeFileSync(join(folder, 'garbage.mjs'), program);
      const { output, errors } = await runCommand(
        process.execPath,
        ['--expose-gc', 'garbage.mjs'],
        folder,
        {},
      );

      expect({ output, errors }).toEqual({ output: '20\n', errors: '' });
    });
  });

  describe('with refusals', () => {
    it('reports each wait before it waits, to onRetry and to the log', async () => {
      slow.refuse(429, 'RATE_LIMITED', { 'retry-after': '1' });
      const [reported, logged]: [Retry[], LogEntry[]] = [[], []];
      const client = clientOf({ log: (entry) => logged.push(entry) });
      const onRetry = (retry: Retry): void => void reported.push(retry);

      await failureOf(client.chat('Secret words.', { tries: 2, onRetry }));

      expect(reported).toEqual([
        expect.objectContaining({ tried: 1, waitMs: 1_000, reason: expect.any(LamppostError) }),
      ]);
      expect(logged.map(({ type, status }) => [type, status])).toEqual([
        ['retry', undefined],
        ['failed', 429],
      ]);
      expect(JSON.stringify(logged)).not.toMatch(/Secret|lp_/);
    });

    it('waits for no longer than a minute in all', async () => {
      slow.refuse(429, 'RATE_LIMITED', { 'retry-after': '59' });
      const waits: number[] = [];
      const stop = new AbortController();
      const onRetry = ({ waitMs }: Retry): void => {
        waits.push(waitMs);
        stop.abort();
      };

      await failureOf(clientOf().chat('Hello.', { onRetry, signal: stop.signal }));
      slow.refuse(429, 'RATE_LIMITED', { 'retry-after': '61' });
      const error = await failureOf(clientOf().chat('Hello.', { onRetry }));

      expect([waits, (error as LamppostError).code]).toEqual([[59_000], 'RATE_LIMITED']);
    });

    it('reports the wait of the seventh picture of a minute, before it waits', async () => {
      const port = await freePort();
      const world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}`, RATE_LIMIT_MEDIA: '6' });
      const baseUrl = await world.listen(port);
      const { key } = await KeyCaller.register(world, 10_000_000n);
      const stop = new AbortController();
      const reported: Retry[] = [];
      const onRetry = (retry: Retry): void => {
        reported.push(retry);
        stop.abort();
      };
      const client = new Lamppost({ baseUrl, key, onRetry });
      for (let at = 0; at < 6; at += 1) await client.image('A fox');
      const seventh = await failureOf(client.image('A fox', { signal: stop.signal }));
      await world.expectBooksToBalance();
      await world.stop();

      expect(reported).toEqual([
        expect.objectContaining({ path: '/v1/agent/generate', reason: expect.any(LamppostError) }),
      ]);
      expect(reported[0]!.waitMs).toBeGreaterThan(0);
      expect(reported[0]!.waitMs).toBeLessThanOrEqual(60_000);
      expect(seventh.name).toBe('AbortError');
    });

    it.each([
      ['once, where the work has failed', 502, 'PROVIDER_ERROR', 1],
      ['again, where something before the service failed', 502, undefined, 3],
      ['again, where nobody could do it now', 503, 'PROVIDER_UNAVAILABLE', 3],
    ])('is asked %s', async (_, status, code, times) => {
      slow.refuse(status, code);
      await failureOf(clientOf({ tries: 3 }).image('A fox'));

      expect(slow.received.filter((one) => one.startsWith('POST'))).toHaveLength(times);
    });
  });

  describe('says what is wrong', () => {
    it('where nobody listens, with the address and the cause', async () => {
      const nowhere = await refusedOrigin();
      const error = await failureOf(clientOf({ baseUrl: nowhere, tries: 1 }).models());

      expect(error.message).toContain(`${nowhere}/v1/agent/models could not be reached`);
      expect(error.message).toContain('nothing listens there (ECONNREFUSED)');
      expect(error.cause).toBeInstanceOf(Error);
    });

    it.each<[string, number, Readonly<Record<string, string>>, string, RegExp]>([
      [
        'no such page',
        404,
        { 'content-type': 'text/html' },
        '<html>',
        /models answered 404, but not as a Lamppost/,
      ],
      ['an error of its own', 404, {}, '{"error":null}', /models answered 404, but not as a Lamppost/],
      [
        'a redirect',
        308,
        { location: 'https://other.example/' },
        '',
        /redirects to https:\/\/other\.example\//,
      ],
      ['a page', 200, { 'content-type': 'text/html' }, '<html>', /models .*text\/html instead of JSON/],
    ])('where another server answers with %s', async (_, status, headers, body, message) => {
      slow.answer = (response) => response.writeHead(status, headers).end(body);
      const error = await failureOf(clientOf({ tries: 1 }).models());

      expect(error.message).toMatch(message);
      expect(error.message).toContain(slow.origin);
    });

    it('where a service names a file that is on no server', async () => {
      slow.answer = (response) => response.end(JSON.stringify({ status: 'done', url: 'file:///etc/passwd' }));
      const made = await clientOf({ tries: 1 }).image('A fox');

      await expect(made.bytes()).rejects.toThrow('file: is no way to reach a service');
    });

    it('where a route is at another address, which never gets the key', async () => {
      await expect(clientOf().read('https://other.example/x')).rejects.toThrow('at another address');
    });

    it.each<[string, object, string]>([
      ['an option for wallets without one', { pay: 'balance' }, 'pay is an option for wallets'],
      ['a misspelt limit', { budget: { percall: 1 } }, 'Did you mean perCall?'],
      ['a key under another name', { apiKey: 'lp_x' }, 'Did you mean key?'],
      ['an address under another name', { baseURL: 'x' }, 'Did you mean baseUrl?'],
      ['the key of somebody else', { key: 'sk-proj-123' }, 'is no key of a Lamppost service'],
      ['an address that is none', { baseUrl: 'localhost:3000' }, 'is no http address'],
      ['a way to pay that is none', { pay: 'card' }, 'pay is'],
      ['a limit that is none', { budget: { total: '5' } }, 'must be an amount of USD'],
    ])('of %s', (_, options, message) => {
      const given = 'apiKey' in options || 'baseURL' in options ? {} : { key: KEY };

      expect(() => new Lamppost({ baseUrl: slow.origin, ...given, ...options })).toThrow(message);
    });

    it('of options of calls that it does not know, before anything is sent', async () => {
      const client = clientOf();
      const wrong = <T>(options: object): T => options as T;
      const calls: readonly (readonly [Promise<unknown>, string])[] = [
        [client.image('x', wrong({ modle: 'ember-image' })), 'Did you mean model?'],
        [client.video('x', wrong({ maxPrice: 5 })), 'Did you mean maxPriceMicro?'],
        [client.chat('x', wrong({ max_tokens: 5 })), 'Did you mean maxTokens?'],
        [client.stream('x', wrong({ idempotencykey: 'x' })).next(), 'Did you mean idempotencyKey?'],
        [client.quote({ model: 'x', ...wrong<object>({ size: '1x1' }) }), 'takes no option "size"'],
        [client.events(wrong<object>({ type: 'job.done' })).next(), 'Did you mean types?'],
        [client.jobs.list(wrong({ state: 'done' })).next(), 'Did you mean status?'],
        [client.jobs.get('x', wrong({ timeout: 5 })), 'Did you mean timeoutMs?'],
        [client.image('x', { model: 'a', modelId: 'b' }), 'they mean the same'],
        [
          client.completions.create({ messages: [], ...wrong<object>({ maxPrice: 5 }) }),
          'Did you mean maxPriceMicro?',
        ],
      ];

      for (const [call, message] of calls) await expect(call).rejects.toThrow(message);
      expect(slow.received).toEqual([]);
    });
  });

  describe('takes from the environment', () => {
    const before = { ...process.env };
    afterEach(() => {
      process.env = { ...before };
    });

    it('where the service is, and the key for it', async () => {
      Object.assign(process.env, { LAMPPOST_URL: slow.origin, LAMPPOST_KEY: KEY });
      const keys: (string | null)[] = [];
      const send: typeof fetch = (input, init) => {
        keys.push(new Headers(init?.headers).get('x-api-key'));
        return fetch(input, init);
      };
      slow.refuse(400, 'INVALID_REQUEST');
      await failureOf(new Lamppost({ fetch: send }).balance());
      // The client sends the key to no other address.
      await failureOf(new Lamppost({ fetch: send, baseUrl: slow.origin }).balance());

      expect(keys).toEqual([KEY, null]);
    });

    it('nothing, and says what is missing', () => {
      delete process.env['LAMPPOST_URL'];

      expect(() => new Lamppost()).toThrow('Say where the service is');
    });
  });

  it('shows no key where a client is printed, logged or turned into JSON', async () => {
    const { inspect } = await import('node:util');
    const client = clientOf();
    const shown = [inspect(client, { depth: 10, showHidden: true }), JSON.stringify(client)];

    for (const text of shown) expect(text).not.toContain(KEY);
  });
});
