import { expectEventually } from '../support/eventually';
import { FakeOpenai, type HeldStream } from '../support/fake-openai';
import { Gate } from '../support/fake-provider';
import { testStep } from './matrix';
import type { Change, Moment } from './moments';
import { MONEY } from './paying-client';
import { API, OTHER, Stage } from './stage';
import { type Received, type Reading, StreamingClient } from './streaming-client';

const WORDS = {
  id: 'words',
  name: 'Words',
  inputUsdPerMtok: '0.10',
  outputUsdPerMtok: '0.40',
  routes: [{ provider: 'openai', model: 'gpt-4.1-nano' }],
};
/** The price of the ten tokens that the provider reports. */
const PRICE = 2n;

/** More megabytes than all buffers between the model and a reader can hold. */
const MEGABYTES = 16;
const MEGABYTE = { choices: [{ index: 0, delta: { content: 'x'.repeat(1_000_000) } }] };

const CAPTURING: Moment = { tables: ['ledger_entry'], statements: ['ledger-capture'], waiting: 1 };
const MOVING: Change = { table: 'charge', event: 'update', when: 'new.state <> old.state' };
const KEY_LOOKUP: Moment = {
  tables: ['api_key'],
  statements: ['key-by-hash'],
  waiting: 1,
  evenReaders: true,
};

jest.setTimeout(120_000);

/**
 * One caller reads a stream by key and one by session. Both have the first word, and the model is about to send the
 * next.
 */
describe('a text that is streamed', () => {
  let openai: FakeOpenai;
  let stage: Stage;
  let clients: StreamingClient[];
  let streams: HeldStream[];
  let received: Promise<Received>[];

  beforeAll(async () => {
    openai = await FakeOpenai.start();
    stage = await Stage.start({
      catalog: { media: [], text: [WORDS] },
      env: { ...openai.env, ALLOW_SANDBOX_MIX: 'true' },
      own: { [API]: { CLOCK_JUMP_MS: '600000' }, [OTHER]: { CLOCK_JUMP_MS: '-600000', HURRY: '60' } },
    });
  });

  beforeEach(async () => {
    const { deployment } = stage;
    clients = [await StreamingClient.withKey(deployment), await StreamingClient.withSession(deployment)];
    await begin(API);
  });

  afterEach(async () => {
    goOn();
    await stage.expectPeace();
  });

  afterAll(async () => {
    await stage.stop();
    await openai.stop();
  });

  /** Both callers get their first word from this process. */
  const begin = async (place: number, how: Reading = {}): Promise<void> => {
    openai.completions.length = 0;
    streams = clients.map(() => openai.holdNextStream());
    received = clients.map((client) => client.read(place, how));
    for (const reading of received) reading.catch(() => undefined);
    await expectEventually(() => clients.every(({ said }) => said.includes('Hello')));
  };
  /** Ends the first streams normally, and begins others. */
  const beginAgain = async (place: number, how?: Reading): Promise<void> => {
    goOn();
    await Promise.all(received);
    clients = await Promise.all(clients.map(() => StreamingClient.withKey(stage.deployment)));
    await begin(place, how);
  };
  const goOn = (): void => streams.forEach((stream) => stream.goOn());
  /** The model has sent everything, and the service is about to store the cost. */
  const stopAtCapture = async (): Promise<void> => {
    await stage.hands.hold(CAPTURING);
    goOn();
    await stage.hands.untilReached(CAPTURING);
  };
  const untilAll = (state: string): Promise<void> =>
    expectEventually(async () => {
      await stage.deployment.endLeases();
      const charges = await Promise.all(clients.map((client) => client.charges()));
      return charges.every((list) => list.map((charge) => charge.state).join() === state);
    });
  const refusalOf = ({ status, retryAfter, error }: Received): unknown => [
    status,
    error?.code,
    retryAfter > 0,
  ];

  /** The whole text was read and paid once. A repeated call buys nothing and gets the stored text. */
  const expectPaidOnce = async ({ asked = 1 } = {}): Promise<void> => {
    for (const reading of received) {
      expect(await reading).toMatchObject({
        status: 200,
        ended: 'done',
        text: 'Hello',
        charge: { state: 'charged', priceMicro: Number(PRICE) },
      });
    }
    for (const client of clients) {
      expect(await client.read(OTHER)).toMatchObject({
        status: 200,
        replayed: true,
        ended: 'done',
        text: 'Hello',
        charge: { state: 'charged', priceMicro: Number(PRICE) },
      });
      expect(await client.left()).toBe(MONEY - PRICE);
      expect((await client.charges()).at(-1)).toEqual({ state: 'charged', price: PRICE });
    }
    expect(openai.completions).toHaveLength(asked * clients.length);
  };

  /** The stream broke off and its money is refunded. A repeated call gets the whole text and is charged once. */
  const expectGivenBack = async (ended: Received['ended'], code?: string): Promise<void> => {
    for (const reading of received) {
      const { error, ...rest } = await reading;
      expect({ ...rest, code: error?.code }).toMatchObject({ ended, code, text: 'Hello' });
      expect(rest.charge).toBeUndefined();
    }
    await untilAll('released');
    for (const client of clients) expect(await client.left()).toBe(MONEY);
    received = clients.map((client) => client.read(OTHER));
    await expectPaidOnce({ asked: 2 });
  };
  /** Nobody reads the rest. The sent words are paid, and they never cost more than the hold. */
  const expectSaidPaid = async (): Promise<void> => {
    await untilAll('charged');
    for (const client of clients) {
      const [charge] = await client.charges();
      expect(charge?.price).toBeGreaterThan(0n);
      expect(await client.left()).toBe(MONEY - charge!.price);
    }
  };
  const UNAVAILABLE = 'PROVIDER_UNAVAILABLE';
  const saying = async (data: unknown): Promise<void> => {
    streams.forEach((stream) => stream.say(data));
    await expectGivenBack('error', UNAVAILABLE);
    await expectEventually(() => streams.every(({ hungUp }) => hungUp));
  };
  const failing = (type: string, code: string): Promise<void> =>
    saying({ error: { message: 'the vendors own words', type, code } });

  testStep(11, {
    a: {
      'its readers are cut off and have their money back, and the model is told to stop': async () => {
        await stage.deployment.kill(API);
        await expectGivenBack('cut');
        expect(streams.every(({ hungUp }) => hungUp)).toBe(true);
      },
    },
    c: {
      'it is told to its end, and paid once': async () => {
        const url = `${await stage.deployment.url(API)}/health/live`;
        const gone = stage.deployment.replace(API);
        await expectEventually(() =>
          fetch(url).then(
            () => false,
            () => true,
          ),
        );
        goOn();
        await gone;
        await expectPaidOnce();
      },
      'one that takes too long is broken off with a word before its connection is cut': async () => {
        await beginAgain(OTHER);
        const gone = stage.deployment.replace(OTHER);
        const [first] = await Promise.all(received);
        expect(first?.error?.message).toContain('restarts');
        await gone;
        await expectGivenBack('error', 'INTERNAL');
        expect(streams.every(({ hungUp }) => hungUp)).toBe(true);
      },
    },
    d: {
      'it was given back meanwhile, and does not look like one that was paid': async () => {
        await stage.deployment.pause(API);
        await untilAll('released');
        await stage.deployment.resume(API);
        goOn();
        await expectGivenBack('error', 'SETTLEMENT_PENDING');
      },
    },
    e: {
      'its end is written again, and it is paid once': async () => {
        await stopAtCapture();
        await stage.hands.cutAllConnections();
        await stage.hands.letGo();
        await expectPaidOnce();
      },
    },
    f: {
      'its end is looked for, and it is paid once': async () => {
        await stopAtCapture();
        stage.wire.loseAnswers();
        await stage.hands.letGo();
        await expectPaidOnce();
      },
    },
    g: {
      'its end is written again, and it is paid once': async () => {
        await stopAtCapture();
        await stage.crashDatabase();
        await expectPaidOnce();
      },
    },
    h: {
      'the statement is repeated': async () => {
        await stage.hands.failNext(MOVING, '40P01', 2);
        goOn();
        await Promise.all(received);
        expect(await stage.hands.forgive()).toBeGreaterThanOrEqual(4);
        await expectPaidOnce();
      },
    },
    i: {
      'it waits for room, and is paid once': async () => {
        await stage.hands.failNext(MOVING, '53100', 1_000);
        goOn();
        await expectEventually(async () => (await stage.hands.hits()) >= 4);
        await stage.hands.forgive();
        await expectPaidOnce();
      },
      'it ends in an error that says that nobody knows, and is given back': async () => {
        await stage.hands.failNext(MOVING, '53100', 1_000);
        goOn();
        await Promise.all(received);
        expect(await stage.hands.forgive()).toBeGreaterThanOrEqual(4);
        await expectGivenBack('error', 'SETTLEMENT_PENDING');
      },
    },
    m: { 'it is given back': () => failing('invalid_request_error', 'content_policy_violation') },
    n: { 'it is given back': () => failing('server_error', 'engine_overloaded') },
    o: {
      'it is given back when the connection breaks': async () => {
        streams.forEach((stream) => stream.breakOff());
        await expectGivenBack('error', UNAVAILABLE);
      },
      'it is given back when the stream ends without an end': async () => {
        streams.forEach((stream) => stream.end());
        await expectGivenBack('error', UNAVAILABLE);
      },
    },
    q: { 'it is given back': () => saying('<html>') },
    r: {
      'what was said is paid after five minutes, and the provider told to stop': async () => {
        await beginAgain(OTHER);
        for (const reading of received) {
          expect(await reading).toMatchObject({ ended: 'done', text: 'Hello', charge: { state: 'charged' } });
        }
        await expectSaidPaid();
        expect(streams.every(({ hungUp }) => hungUp)).toBe(true);
      },
    },
    w: {
      'what was said is paid, the rest given back, and the provider told to stop': async () => {
        const reader = new AbortController();
        await beginAgain(API, { signal: reader.signal });
        reader.abort();
        await expectEventually(() => streams.every(({ hungUp }) => hungUp));
        await expectSaidPaid();
      },
      'who stands still until the time is up has left as well': async () => {
        const asleep = new Gate(true);
        await beginAgain(OTHER, { pause: asleep.pass() });
        for (let said = 0; said < MEGABYTES; said += 1) streams.forEach((stream) => stream.say(MEGABYTE));
        await expectEventually(() => streams.every(({ hungUp }) => hungUp));
        await expectSaidPaid();
        asleep.open();
        expect((await Promise.all(received)).map(({ ended }) => ended)).toEqual(['cut', 'cut']);
      },
      'who left before it began pays nothing': async () => {
        goOn();
        await Promise.all(received);
        const client = await StreamingClient.withKey(stage.deployment);
        const reader = new AbortController();
        await stage.hands.hold(KEY_LOOKUP);
        const reading = client.read(API, { signal: reader.signal });
        await stage.hands.untilReached(KEY_LOOKUP);
        reader.abort();
        await expect(reading).rejects.toThrow('aborted');
        await stage.hands.letGo();
        await expectEventually(async () => (await client.charges()).length > 0);
        await stage.expectPeace();
        expect(await client.charges()).toMatchObject([{ state: 'released' }]);
        expect(await client.left()).toBe(MONEY);
      },
    },
    x: {
      'it is told to come again later, and buys nothing': async () => {
        for (const client of clients) {
          for (const place of [API, OTHER]) {
            expect(refusalOf(await client.read(place))).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT', true]);
          }
        }
        goOn();
        await expectPaidOnce();
      },
      'nobody is asked for more money because the first has set the last of it aside': async () => {
        const [first] = await clients[0]!.charges();
        const [poor, others] = [await StreamingClient.withKey(stage.deployment, first!.price), clients];
        const [before, reading] = [streams, received];
        clients = [poor];
        await begin(API);
        expect(refusalOf(await poor.read(OTHER))).toEqual([409, 'IDEMPOTENCY_IN_FLIGHT', true]);
        goOn();
        expect(await received[0]).toMatchObject({ ended: 'done' });
        expect(await poor.read(OTHER)).toMatchObject({ status: 200, replayed: true, ended: 'done' });
        [clients, streams, received] = [others, before, reading];
      },
    },
    y: {
      'it is refused, and buys nothing': async () => {
        const other = (client: StreamingClient): Promise<Received> =>
          client.read(OTHER, { words: 'Another.' });
        const refused = [422, 'IDEMPOTENCY_MISMATCH', false];
        for (const client of clients) expect(refusalOf(await other(client))).toEqual(refused);
        goOn();
        await expectPaidOnce();
        for (const client of clients) expect(refusalOf(await other(client))).toEqual(refused);
      },
    },
    z: {
      'it reads the stream again from what was kept, and buys nothing': async () => {
        goOn();
        await expectPaidOnce();
      },
    },
    aa: {
      'it is told to its end, and paid once': async () => {
        await stage.deployment.jumpClock(API);
        await stage.deployment.jumpClock(OTHER);
        goOn();
        try {
          await expectPaidOnce();
        } finally {
          // Their clocks do not return to the right time.
          await Promise.all([API, OTHER].map((place) => stage.deployment.kill(place)));
        }
      },
    },
    ab: {
      'nobody notices': async () => {
        await stage.deployment.joinAndLeave(API);
        goOn();
        await expectPaidOnce();
      },
    },
    ac: {
      'it is told to its end and paid once, and who comes now waits for room or is sent away': async () => {
        const newcomer = await StreamingClient.withKey(stage.deployment);
        await stage.overload(API, async () => {
          const { status } = await newcomer.read(API);
          const bought = (await newcomer.charges()).map(({ state }) => state);
          expect([
            [200, ['charged']],
            [503, []],
          ]).toContainEqual([status, bought]);
          openai.completions.splice(clients.length);
          goOn();
          await Promise.all(received);
        });
        await expectPaidOnce();
      },
    },
    ad: {
      'nobody notices': async () => {
        const migration = stage.hands.migrate(['charge', 'ledger_account', 'ledger_entry', 'key_spend']);
        goOn();
        await migration;
        await expectPaidOnce();
      },
    },
  });
});
