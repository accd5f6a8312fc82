import { tmpdir } from 'node:os';

import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';

import {
  Budget,
  BudgetExceeded,
  CallAborted,
  CallError,
  JobFailed,
  Lamppost,
  LamppostError,
  type LamppostOptions,
  NoAnswer,
} from '../../clients/typescript/src/lamppost';
import { type Reply, Stand, json, page, silence } from './stand';

const KEY = 'lp_0123456789';
const MARK = expect.stringMatching(/^[\w-]{36}$/) as string;
const PAID = { 'x-charge-id': 'ch_1', 'x-charge-micro': '5' };
const JOB = { status: 'running', jobId: 'job_1' };

/** Each row of the table under "When it fails" on the page of the package. */
describe('an error says how to go on', () => {
  let stand: Stand;

  beforeEach(async () => {
    stand = await new Stand().start();
  });
  afterEach(() => stand.stop());

  const clientOf = (more: Partial<LamppostOptions> = {}): Lamppost =>
    new Lamppost({ baseUrl: stand.origin, key: KEY, tries: 1, onRetry: () => undefined, ...more });
  const failureOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'It went well.',
      (error: unknown) => error,
    );
  const film = (client = clientOf(), options = {}) => failureOf(client.video('waves', options));

  it('before the request: nothing was paid', async () => {
    stand.replies = [json({ priceMicro: 900_000 })];
    const tooExpensive = await film(clientOf({ budget: { perCall: 0.1 } }));
    const misspelt = await film(clientOf(), { duratoin: 8 });

    expect(tooExpensive).toBeInstanceOf(BudgetExceeded);
    expect(misspelt).toBeInstanceOf(TypeError);
    // Only the dry run was sent.
    expect(stand.received.map(({ body }) => JSON.parse(body.toString()).dryRun)).toEqual([true]);
  });

  it('sent, no answer: the key, by which the next call is the same one', async () => {
    stand.replies = [silence, json({ ...JOB, status: 'done', url: `${stand.origin}/made` }, PAID)];
    const error = (await film()) as NoAnswer;
    const made = await clientOf().video('waves', { idempotencyKey: error.idempotencyKey });

    expect(error).toBeInstanceOf(NoAnswer);
    expect(error).toMatchObject({ idempotencyKey: MARK, status: undefined });
    expect(error.message).toContain(error.idempotencyKey);
    expect([made.charge.id, [...stand.marks]]).toEqual(['ch_1', [error.idempotencyKey]]);
  });

  it.each<[string, Reply, number | undefined]>([
    ['a page of a gateway', page(504), 504],
    ['JSON of a gateway', json({ message: 'upstream' }, {}, 502), 502],
    ['JSON of a gateway with an error', json({ error: 'bad gateway' }, {}, 502), 502],
    ['a page that nobody finds', page(404), 404],
    ['a redirect to a sign-in page', page(302, 'text/html', '', { location: 'https://hotel.example/' }), 302],
    ['a sign-in page', page(200), undefined],
    ['an empty 200', page(200, 'application/json', ''), undefined],
    ['JSON of another server', json({}), undefined],
    ['the health of another server', json({ status: 'ok' }), undefined],
  ])('answered by a stranger, %s: the key, and no word of a refusal', async (_, reply, status) => {
    stand.replies = [reply];
    for (const call of [film(), failureOf(clientOf().chat('Hello.'))]) {
      const error = (await call) as NoAnswer;

      expect(error).toBeInstanceOf(NoAnswer);
      expect(error).toMatchObject({ idempotencyKey: MARK, code: 'NO_ANSWER', status });
      expect(error.message).not.toContain('refused');
    }
  });

  it('refused by the service: the key, its code, its charge and the id of the request', async () => {
    const error = { code: 'SETTLEMENT_PENDING', message: 'Pending.', requestId: 'req_1', retryable: true };
    stand.replies = [json({ error }, { 'x-charge-id': 'ch_1', 'x-charge-state': 'settling' }, 503)];

    expect(await film()).toBeInstanceOf(LamppostError);
    expect(await film()).toMatchObject({
      idempotencyKey: MARK,
      chargeId: 'ch_1',
      chargeState: 'settling',
      code: 'SETTLEMENT_PENDING',
      requestId: 'req_1',
    });
  });

  it('accepted or working, and the wait ended: the job, its charge, and the command that finds it', async () => {
    stand.replies = [json(JOB, PAID), silence];
    const lost = (await film(clientOf(), { tries: 1 })) as NoAnswer;
    stand.received.length = 0;
    stand.replies = [json(JOB, PAID), json({ error: { code: 'KEY_EXPIRED', message: 'Over.' } }, {}, 401)];
    const refused = await film();

    expect(lost).toMatchObject({ idempotencyKey: MARK, jobId: 'job_1', chargeId: 'ch_1' });
    expect(lost.message).toContain('`lamppost jobs wait job_1`');
    expect(refused).toMatchObject({
      code: 'KEY_EXPIRED',
      jobId: 'job_1',
      chargeId: 'ch_1',
      idempotencyKey: MARK,
    });
  });

  it('failed after it was accepted: the job, its reason and its charge', async () => {
    const failed = { status: 'failed', error: 'No.', errorCode: 'PROVIDER_FAILED', chargeState: 'refunded' };
    stand.replies = [json(JOB, PAID), json(failed)];

    expect(await film()).toBeInstanceOf(JobFailed);
    stand.received.length = 0;
    expect(await film()).toMatchObject({
      idempotencyKey: MARK,
      jobId: 'job_1',
      chargeId: 'ch_1',
      errorCode: 'PROVIDER_FAILED',
      chargeState: 'refunded',
    });
  });

  it.each<[string, Reply]>([
    ['is lost', silence],
    ['is a page of another server', page(200)],
    ['is empty', page(200, 'video/mp4', '')],
  ])('settled, and the file %s: the job, the charge and the address', async (_, reply) => {
    const url = `${stand.origin}/made`;
    stand.replies = [json(JOB, PAID), json({ status: 'done', url }), reply];
    const made = await clientOf().video('waves');

    expect(await failureOf(made.bytes())).toMatchObject({
      code: 'NO_ANSWER',
      idempotencyKey: MARK,
      jobId: 'job_1',
      chargeId: 'ch_1',
      url: new URL(url),
    });
  });

  it('aborted: the key at once, and the job and its money after that', async () => {
    const stop = new AbortController();
    const job = { id: 'job_1', status: 'failed', chargeState: 'refunded' };
    stand.replies = [() => stop.abort(), json({ jobs: [job], nextCursor: null })];
    const error = (await film(clientOf(), { signal: stop.signal })) as CallAborted;

    expect([error.idempotencyKey, error.jobId, error.chargeState]).toEqual([MARK, undefined, undefined]);
    expect(await error.outcome).toMatchObject({ jobId: 'job_1', chargeState: 'refunded' });
  });

  it.each([
    ['charged', 5],
    ['refunded', 0],
  ])(
    'an aborted film that was accepted before is counted once, where it is %s',
    async (chargeState, micro) => {
      const stop = new AbortController();
      const job = { id: 'job_1', status: 'done', chargeState };
      const client = clientOf({ budget: { total: 1 } });
      stand.replies = [
        json({ priceMicro: 5 }),
        json(JOB, PAID),
        () => stop.abort(),
        json({ jobs: [job], nextCursor: null }),
      ];
      const error = (await film(client, { signal: stop.signal })) as CallAborted;

      expect(await error.outcome).toMatchObject({ chargeState });
      expect(await client.budget.state()).toMatchObject({ spentMicro: micro, reservedMicro: 0 });
    },
  );

  it.each([
    ['none', false],
    ['released', true],
  ])('after a refusal with the charge %s, the key of the call ends: %s', async (state, ends) => {
    const refused = json({ error: { code: 'RATE_LIMITED' } }, { 'x-charge-state': state }, 429);
    const textModels = [{ id: 'm', default: true, inputUsdPerMtok: '1', outputUsdPerMtok: '1' }];
    const reply: Reply = (response, received) => {
      const path = received.incoming.url ?? '';
      const free = path.endsWith('/models') ? json({ textModels }) : json({ id: 'key_1', key: 'lp_1' });
      (path.endsWith('/completions') ? refused : free)(response, received);
    };
    stand.replies = [reply];
    const wallet = privateKeyToAccount(generatePrivateKey());
    const client = new Lamppost({ baseUrl: stand.origin, wallet, pay: 'balance', tries: 1 });
    const messages = [{ role: 'user' as const, content: 'Hello.' }];
    await failureOf(client.completions.create({ messages }, { idempotencyKey: 'a mark' }));
    await failureOf(client.completions.stream({ messages }, { idempotencyKey: 'a mark' }).next());

    expect(stand.received.filter(({ method }) => method === 'DELETE')).toHaveLength(ends ? 2 : 0);
  });

  it('a call of another payer, or one that was refunded, has to fit into the limit', async () => {
    const budget = new Budget({ total: 0.000_005 });
    const again = { idempotencyKey: 'a mark of mine' };
    const failed = { status: 'failed', error: 'No.', chargeState: 'refunded' };
    stand.replies = [json({ priceMicro: 5 }), json(JOB, PAID), json(failed), json({ priceMicro: 6 })];
    const client = clientOf({ budget });

    expect(await film(client, again)).toBeInstanceOf(JobFailed);
    expect(await film(client, again)).toBeInstanceOf(BudgetExceeded);

    stand.received.length = 0;
    stand.replies = [json({ priceMicro: 5 }), json({ status: 'done', url: `${stand.origin}/made` }, PAID)];
    await client.video('waves', again);
    stand.received.length = 0;

    expect(await film(clientOf({ budget, key: 'lp_another' }), again)).toBeInstanceOf(BudgetExceeded);
    expect(await budget.state()).toMatchObject({ spentMicro: 5, reservedMicro: 0 });
  });

  it('returns a paid answer even if the history of the budget cannot be read', async () => {
    const choices = [{ message: { content: 'Hi.' } }];
    stand.replies = [json({ choices, priceMicro: 5 }, { ...PAID, 'idempotent-replayed': 'true' })];

    expect(await clientOf({ budget: { file: tmpdir() } }).chat('Hello.')).toMatchObject({ text: 'Hi.' });
  });

  it.each<[string, LamppostOptions]>([
    ['with a limit', { budget: { total: 0.000_005 } }],
    ['without a limit', {}],
  ])('a repeated call is counted once, %s', async (_, options) => {
    const client = clientOf(options);
    const answer = { choices: [{ message: { content: 'Hi.' } }], priceMicro: 5 };
    for (const replayed of [{}, { 'idempotent-replayed': 'true' }]) {
      stand.received.length = 0;
      stand.replies = [json(answer, { ...PAID, ...replayed })];
      await client.chat('Hello.', { idempotencyKey: 'a mark of mine' });
    }

    expect(await client.budget.state()).toMatchObject({ spentMicro: 5, reservedMicro: 0 });
  });

  it('is one kind of error in each case', () => {
    for (const kind of [NoAnswer, LamppostError, JobFailed, CallAborted])
      expect(kind.prototype).toBeInstanceOf(CallError);
  });

  it('keeps the key of a stream of a wallet while nobody knows its outcome', async () => {
    const textModels = [{ id: 'm', default: true, inputUsdPerMtok: '1', outputUsdPerMtok: '1' }];
    const routes: Readonly<Record<string, Reply>> = {
      '/v1/agent/models': json({ textModels }),
      '/v1/agent/keys': json({ id: 'key_1', key: KEY }),
      '/v1/chat/completions': page(200, 'text/event-stream', 'data: {"choices":[]}\n\n', PAID),
    };
    stand.replies = [
      (response, received) => (routes[received.incoming.url ?? ''] ?? silence)(response, received),
    ];
    const wallet = privateKeyToAccount(generatePrivateKey());
    const client = new Lamppost({ baseUrl: stand.origin, wallet, pay: 'balance', tries: 1 });
    const stream = client.stream('Count.');
    const read = async (): Promise<void> => {
      for await (const piece of stream) void piece;
    };

    expect(await failureOf(read())).toBeInstanceOf(NoAnswer);
    const asked = stand.received.map(({ method, incoming }) => `${method} ${incoming.url}`);
    expect(asked).toContain('POST /v1/agent/keys');
    expect(asked.filter((one) => one.startsWith('DELETE'))).toEqual([]);
  });

  describe('for as long as it takes', () => {
    afterEach(() => jest.restoreAllMocks());

    /** Runs the timers of the client at once, on a clock that they move. */
    const skipTime = (): { readonly now: () => number } => {
      let now = Date.now();
      jest.spyOn(Date, 'now').mockImplementation(() => now);
      const original = globalThis.setTimeout;
      jest.spyOn(globalThis, 'setTimeout').mockImplementation(((
        act: (...args: unknown[]) => void,
        ms = 0,
        ...args: unknown[]
      ) =>
        ms > 100_000
          ? original(act, 0x7fffffff, ...args).unref()
          : original(() => {
              now += ms;
              act(...args);
            }, 0)) as never);
      return { now: () => now };
    };

    it('tries a paid call for a minute by the clock, with one key', async () => {
      const { now } = skipTime();
      // The last answer ends a client that tries for ever.
      stand.replies = [...Array<Reply>(60).fill(silence), json({ choices: [] })];
      const began = now();
      const error = await failureOf(clientOf({ tries: undefined }).chat('Hello.'));

      expect(error).toBeInstanceOf(NoAnswer);
      // Timers of connections move the clock, too.
      expect(now() - began).toBeGreaterThanOrEqual(60_000);
      expect(now() - began).toBeLessThan(65_000);
      expect(stand.received.length).toBeGreaterThan(8);
      expect(stand.marks.size).toBe(1);
    });

    it.each<[string, (client: Lamppost, idempotencyKey?: string) => Promise<unknown>]>([
      [
        'a conversation',
        (client, idempotencyKey) => client.completions.create({ messages: [] }, { idempotencyKey }),
      ],
      ['a stream', (client, idempotencyKey) => client.stream('Hello.', { idempotencyKey }).next()],
      [
        'a batch',
        (client, idempotencyKey) => client.batches.create({ first: { messages: [] } }, { idempotencyKey }),
      ],
    ])('asks for the rates of %s as patiently as for the answer', async (_, call) => {
      skipTime();
      const textModels = [{ id: 'm', default: true, inputUsdPerMtok: '1', outputUsdPerMtok: '1' }];
      stand.replies = [...Array<Reply>(8).fill(silence), json({ textModels }), page(404)];
      const client = clientOf({ tries: undefined, budget: { total: 1 } });
      const far = (await failureOf(call(client))) as NoAnswer;
      const asked = stand.received.map(({ incoming }) => incoming.url);
      expect(far).toMatchObject({ idempotencyKey: MARK, status: 404 });
      expect(asked.filter((path) => path === '/v1/agent/models')).toHaveLength(9);

      stand.received.length = 0;
      stand.replies = [silence];
      const hasty = clientOf({ budget: { total: 1 } });
      const two = await Promise.all(['one', 'two'].map((key) => failureOf(call(hasty, key))));
      expect(two).toMatchObject([{ idempotencyKey: 'one' }, { idempotencyKey: 'two' }]);
    });

    it('outlasts an absence of ten minutes where it waits for a job or for events, and says so in one line', async () => {
      const { now } = skipTime();
      const said = jest.spyOn(console, 'warn').mockReturnValue();
      const began = now();
      stand.replies = [
        (response, received) => {
          if (now() - began > 600_000)
            json({ status: 'done', events: [{ id: 'evt_1' }] })(response, received);
          else if (stand.received.length % 2 === 0) silence(response, received);
          else page(503)(response, received);
        },
      ];
      const quiet = new Lamppost({ baseUrl: stand.origin, key: KEY });

      expect(await quiet.jobs.wait('job_1')).toMatchObject({ status: 'done' });
      expect(now() - began).toBeGreaterThan(600_000);
      expect(said.mock.calls).toEqual([[expect.stringMatching(/waiting until .*jobs wait job_1/)]]);
      expect(await quiet.events().next()).toMatchObject({ value: { id: 'evt_1' } });
    });

    it.each(['3600', '3000000000', 'Infinity', '1e300'])(
      'pauses for a minute at most between two tries of a wait, where a server asks for %s',
      async (asked) => {
        skipTime();
        const away = page(503, 'text/html', '<html>', { 'retry-after': asked });
        stand.replies = [away, away, json({ status: 'done', url: `${stand.origin}/made` })];
        const pauses: number[] = [];
        const client = clientOf({ tries: undefined, onRetry: ({ waitMs }) => pauses.push(waitMs) });

        expect(await client.jobs.wait('job_1')).toMatchObject({ status: 'done' });
        expect(pauses).toHaveLength(2);
        expect(Math.max(...pauses)).toBeLessThanOrEqual(60_000);
      },
    );

    it('ends a wait at the deadline of its caller', async () => {
      stand.replies = [silence];
      const signal = AbortSignal.timeout(300);

      expect(await failureOf(clientOf().jobs.wait('job_1', { signal }))).toMatchObject({
        name: 'TimeoutError',
      });
    });
  });

  // The last test, because its connections have timers, which would move the clock of the tests above.
  it('broken after its first words, where its money came back: no other answer is begun', async () => {
    const textModels = [{ id: 'm', default: true, inputUsdPerMtok: '1', outputUsdPerMtok: '1' }];
    const states = ['held', 'released'];
    let answers = 0;
    const piece = 'data: {"choices":[{"delta":{"content":"One"}}]}\n\n';
    stand.replies = [
      (response, received) => {
        const path = received.incoming.url ?? '';
        if (path.endsWith('/models')) return json({ textModels })(response, received);
        if (path.endsWith('/charges/ch_1') && stand.received.length > 3)
          return json({ id: 'ch_1', state: states.shift(), priceMicro: 0 })(response, received);
        if (!path.endsWith('/completions')) return silence(response, received);
        answers += 1;
        response.writeHead(200, { 'content-type': 'text/event-stream', ...PAID });
        return response.write(piece, () => silence(response, received));
      },
    ];
    const client = clientOf({ tries: undefined, budget: { total: 1 } });
    const read: string[] = [];
    const reading = async (): Promise<void> => {
      for await (const { text } of client.stream('Count.')) read.push(text);
    };

    expect(await failureOf(reading())).toMatchObject({
      code: 'NO_ANSWER',
      idempotencyKey: MARK,
      chargeId: 'ch_1',
    });
    expect([read, answers, states]).toEqual([['One'], 1, []]);
    expect(await client.budget.state()).toMatchObject({ spentMicro: 0, reservedMicro: 0 });
  });
});
