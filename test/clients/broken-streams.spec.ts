import { Lamppost, type LamppostOptions, NoAnswer, type Retry } from '../../clients/typescript/src/lamppost';
import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';
import { TornNetwork } from './torn-network';

const CREDITS = 50_000_000n;
const STREAMS = 40;
const AT_ONCE = 8;

interface Read {
  readonly text: string;
  readonly micro: number;
  readonly finish: string;
}

describe('streams that break off', () => {
  let world: World;
  let baseUrl: string;
  let caller: KeyCaller;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    baseUrl = await world.listen(port);
  });
  beforeEach(async () => {
    caller = await KeyCaller.register(world, CREDITS);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const clientOf = (more: Partial<LamppostOptions> = {}): Lamppost =>
    new Lamppost({ baseUrl, key: caller.key, ...more });
  const spent = async (): Promise<number> => Number(CREDITS) - (await clientOf().balance()).micro;

  const read = async (client: Lamppost, prompt: string, idempotencyKey?: string): Promise<Read> => {
    const read = { text: '', micro: -1, finish: '' };
    const messages = [{ role: 'user' as const, content: prompt }];
    for await (const piece of client.completions.stream({ messages, max_tokens: 300 }, { idempotencyKey })) {
      read.text += piece.choices?.[0]?.delta.content ?? '';
      read.finish = piece.choices?.[0]?.finish_reason ?? read.finish;
      read.micro = piece.charge?.micro ?? read.micro;
    }
    return read;
  };

  /** Passes this much of an answer on, and then breaks the connection. */
  const cutting =
    (times: number, pieces: number): typeof fetch =>
    async (input, init) => {
      const response = await fetch(input, init);
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
      if (!isStream || times-- <= 0) return response;
      const reader = response.body!.getReader();
      let left = pieces;
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          const { value, done } = await reader.read();
          if (done) controller.close();
          else if (left-- > 0) controller.enqueue(value);
          else {
            await reader.cancel();
            controller.error(new TypeError('terminated'));
          }
        },
      });
      return new Response(body, { headers: response.headers });
    };

  it('go on behind the last piece that came, and each piece comes once', async () => {
    const retries: Retry[] = [];
    const client = clientOf({ fetch: cutting(2, 3), onRetry: (retry) => retries.push(retry) });
    const { text, micro } = await read(client, 'Count. [[tokens 60]] [[pace 0.05s]]', 'one-long-answer');
    const again = await read(clientOf(), 'Count. [[tokens 60]] [[pace 0.05s]]', 'one-long-answer');

    expect(retries.length).toBeGreaterThan(0);
    expect(text).not.toBe('');
    expect({ text, micro }).toEqual({ text: again.text, micro: again.micro });
    expect(await spent()).toBe(micro);
  });

  it('stop at once when their reader stops, and are not asked for again', async () => {
    const asked: unknown[] = [];
    const send: typeof fetch = (input, init) => {
      if (init?.method === 'POST') asked.push(input);
      return fetch(input, init);
    };
    const stop = new AbortController();
    const stream = clientOf({ fetch: send }).stream('Count. [[tokens 200]] [[pace 9s]]', {
      signal: stop.signal,
    });
    await stream.next();
    stop.abort();

    await expect(stream.next()).rejects.toThrow('aborted');
    expect(asked).toHaveLength(1);
    await expectEventually(async () => (await spent()) > 0);
  });

  it('are no rest of another answer, where the first one was taken back', async () => {
    let asked = 0;
    const client = clientOf({
      fetch: async (input, init) => {
        const response = await cutting(asked === 0 ? 1 : 0, 2)(input, init);
        asked += 1;
        const headers = new Headers(response.headers);
        headers.delete('idempotent-replayed');
        return new Response(response.body, { status: response.status, headers });
      },
    });

    await expect(read(client, 'Count. [[tokens 60]] [[pace 0.05s]]')).rejects.toBeInstanceOf(NoAnswer);
  });

  it(`cost what they have said, each of ${STREAMS}, through a network that breaks at random`, async () => {
    const network = await TornNetwork.to(baseUrl);
    const client = clientOf({ baseUrl: network.url, tries: 20 });
    const reads: Read[] = [];
    let begun = 0;
    const one = async (): Promise<void> => {
      while (begun < STREAMS) reads.push(await read(client, `Stream ${(begun += 1)}. [[tokens 40]]`));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, one));
    await network.stop();

    expect(reads).toHaveLength(STREAMS);
    expect(reads.filter(({ micro, finish }) => micro < 0 || finish === '')).toEqual([]);
    expect(Math.min(...Object.values(network.struck))).toBeGreaterThan(0);
    await expectEventually(async () => (await spent()) === reads.reduce((sum, { micro }) => sum + micro, 0));
  });
});
