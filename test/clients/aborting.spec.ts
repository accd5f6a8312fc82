import { getEventListeners } from 'node:events';

import { Budget, CallAborted, Lamppost, type LamppostOptions } from '../../clients/typescript/src/lamppost';
import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const CREDITS = 5_000_000n;

describe('a call that its caller aborts', () => {
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
  const balance = async (): Promise<number> => (await clientOf().balance()).micro;
  const heldOf = async (): Promise<number> =>
    (await world.db.rows(`select from job where owner = $1`, [caller.accountId])).length;

  /** Aborts the call after its job exists and before the answer contains the job's id. */
  const abortedImage = async (text: string, more: Partial<LamppostOptions> = {}): Promise<CallAborted> => {
    const stop = new AbortController();
    const made = clientOf(more).image(text, { signal: stop.signal });
    const failed = made.catch((error: unknown) => error);
    await expectEventually(async () => (await heldOf()) === 1);
    stop.abort();
    return ((await failed) as CallAborted).outcome;
  };

  it('is traced where its picture is made before it can be cancelled: its error names job, mark and money', async () => {
    const budget = new Budget({ total: 1 });
    const error = await abortedImage('a lamp [[delay 3s]]', { budget });

    expect(error).toBeInstanceOf(CallAborted);
    expect(error).toMatchObject({
      name: 'AbortError',
      chargeState: 'charged',
      jobId: expect.stringMatching(/^job_/),
      idempotencyKey: expect.stringMatching(/^[\w-]{36}$/),
    });
    const charged = Number(CREDITS) - (await balance());
    expect(charged).toBeGreaterThan(0);
    expect(await budget.state()).toEqual({
      spentMicro: charged,
      reservedMicro: 0,
      leftMicro: 1_000_000 - charged,
    });
  });

  it('says that it runs on where its picture takes longer than anybody waits', async () => {
    const error = await abortedImage('a lamp [[delay 8s]]');

    expect(error).toMatchObject({ chargeState: 'held', jobId: expect.stringMatching(/^job_/) });
    const isDone = async (): Promise<boolean> => {
      for await (const { id, status } of clientOf().jobs.list())
        if (id === error.jobId) return status === 'done';
      return false;
    };
    await expectEventually(isDone);
  });

  it('is cancelled while its film is waited for', async () => {
    const stop = new AbortController();
    const made = clientOf().video('waves [[delay 30s]]', { signal: stop.signal });
    const failed = made.catch((error: unknown) => error);
    await expectEventually(async () => (await heldOf()) === 1);
    stop.abort();
    const error = (await failed) as CallAborted;

    const jobId = expect.stringMatching(/^job_/) as string;
    expect(await error.outcome).toMatchObject({ name: 'AbortError', jobId, chargeState: 'refunded' });
    expect(await balance()).toBe(Number(CREDITS));
  });

  it.each<[string, (client: Lamppost, signal: AbortSignal) => Promise<unknown>]>([
    ['a picture', (client, signal) => client.image('a lamp [[delay 8s]]', { signal })],
    ['a film', (client, signal) => client.video('waves [[delay 30s]]', { signal })],
    ['a text', (client, signal) => client.chat('Hello. [[delay 8s]]', { signal })],
    ['a stream', (client, signal) => client.stream('Hello. [[delay 8s]]', { signal }).next()],
    ['a wait', (client, signal) => client.jobs.wait('job_0', { signal })],
    ['events', (client, signal) => client.events({ after: 'now', signal }).next()],
  ])('is over at once, and leaves no listener, where it is %s', async (what, call) => {
    const stop = new AbortController();
    const slow: typeof fetch =
      what === 'a wait'
        ? (_, init) => new Promise((_done, fail) => init?.signal?.addEventListener('abort', fail))
        : fetch;
    const ended = call(clientOf({ fetch: slow }), stop.signal).catch((error: unknown) => error as Error);
    await expectEventually(() => Promise.resolve(getEventListeners(stop.signal, 'abort').length === 1));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const began = performance.now();
    stop.abort();
    const error = await ended;

    expect(performance.now() - began).toBeLessThan(200);
    expect(error).toMatchObject({ name: 'AbortError' });
    if (error instanceof CallAborted) await error.outcome;
  });

  it('leaves no listener on its signal after its end', async () => {
    const { signal } = new AbortController();
    const made = await clientOf().image('a lamp', { signal });
    await made.bytes();
    await clientOf().chat('Hello.', { signal });
    for await (const _ of clientOf().stream('Hello.', { signal }));

    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('is not begun where it was aborted before, and buys nothing when it is looked for', async () => {
    const signal = AbortSignal.abort();

    await expect(clientOf().image('a lamp', { signal })).rejects.toThrow('aborted');
    expect([await heldOf(), await balance()]).toEqual([0, Number(CREDITS)]);
  });

  it('says so where nobody can say what became of it', async () => {
    const stop = new AbortController();
    const send: typeof fetch = (_, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error));
        if (init?.method === 'GET') reject(new TypeError('no network'));
        else stop.abort();
      });

    const error = await clientOf({ fetch: send, tries: 1 })
      .image('a lamp', { signal: stop.signal, idempotencyKey: 'a mark of mine' })
      .catch((failure: unknown) => failure);
    await (error as CallAborted).outcome;

    expect(error).toMatchObject({ name: 'AbortError', idempotencyKey: 'a mark of mine' });
    expect([(error as CallAborted).jobId, (error as CallAborted).chargeState]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is named by its error, where it is a text', async () => {
    const stop = new AbortController();
    const send: typeof fetch = (input, init) => {
      setTimeout(() => stop.abort(), 10);
      return fetch(input, init);
    };
    const client = clientOf({ fetch: send });
    const options = { signal: stop.signal, idempotencyKey: 'a text of mine' };
    const error = await client.chat('Hello. [[delay 2s]]', options).catch((failure: unknown) => failure);

    expect(error).toBeInstanceOf(CallAborted);
    expect(error).toMatchObject({ name: 'AbortError', idempotencyKey: 'a text of mine' });
    expect((error as CallAborted).message).toContain('It is unknown whether it was charged.');
    await expectEventually(async () => (await balance()) < Number(CREDITS));
  });

  it.each(['aborted', 'left'])(
    'is counted as what it has cost, where it is a stream that is %s',
    async (how) => {
      const budget = new Budget({ total: 1 });
      const stop = new AbortController();
      const stream = clientOf({ budget }).stream('Count. [[tokens 200]] [[pace 9s]]', {
        signal: stop.signal,
      });
      await stream.next();
      if (how === 'left') await stream.return();
      else {
        stop.abort();
        const error = (await stream.next().catch((failure: unknown) => failure)) as CallAborted;
        expect(await error.outcome).toMatchObject({
          name: 'AbortError',
          chargeState: 'charged',
          message: 'The call was aborted. The text so far is charged.',
        });
      }

      const charged = Number(CREDITS) - (await balance());
      expect(charged).toBeGreaterThan(0);
      expect(await budget.state()).toMatchObject({ spentMicro: charged, reservedMicro: 0 });
    },
  );

  it('leaves other jobs alone', async () => {
    const film = clientOf().video('other waves [[delay 3s]]');
    await expectEventually(async () => (await heldOf()) === 1);
    const stop = new AbortController();
    const send: typeof fetch = async (input, init) => {
      if (init?.method === 'POST') stop.abort();
      return fetch(input, init);
    };

    await expect(clientOf({ fetch: send }).image('a lamp', { signal: stop.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect((await film).url).toContain('/media/');
  });
});
