import { rmSync } from 'node:fs';

import { type EmbeddedPostgres, startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { migrate } from '#platform/database/migrations';
import { expectEventually } from '../support/eventually';
import { serverFolder } from '../support/postgres';
import type { Answer } from '../support/world';
import { Deployment } from './deployment';
import { Hands, MOMENTS, type Moment, stopAt } from './moments';
import { type PayingClient, chatOf, onEveryRail } from './paying-client';

const { HOLDING, SETTLING, TRANSFERRING, RECORDING } = MOMENTS;
const SHORT = chatOf('Say something short.');
const SLOW = chatOf('Take your time. [[delay 2s]]');

jest.setTimeout(120_000);

/** One call on each rail is stopped at a step. The other process serves the clients when they repeat their calls. */
describe('a paid call whose world breaks', () => {
  let folder: string;
  let server: EmbeddedPostgres;
  let deployment: Deployment;
  let clients: PayingClient[];
  let first: Promise<(Answer | undefined)[]>;
  let hands: Hands | undefined;

  const sendAll = (): void => {
    first = Promise.all(clients.map((client) => client.send(0)));
  };
  const states = async (): Promise<string[]> => {
    const all = await Promise.all(clients.map((client) => client.states()));
    return all.map((list) => list.join(' '));
  };
  const untilAll = (state: string): Promise<void> =>
    expectEventually(async () => (await states()).every((now) => now === state));
  const stopped = async (moment: Moment, send = sendAll): Promise<Hands> => {
    clients = await onEveryRail(deployment, SHORT);
    return (hands = await stopAt(deployment.databaseUrl, moment, send));
  };
  const working = async (send = sendAll): Promise<void> => {
    clients = await onEveryRail(deployment, SLOW);
    send();
    await untilAll('held');
  };

  /** The clients repeat their calls at the other process. Each gets one answer for its one payment. */
  const expectAllPaidOnce = async ({ dead = true } = {}): Promise<Answer[]> => {
    if (dead) {
      await first;
      await deployment.endLeases();
    }
    const answers = await Promise.all(clients.map((client) => client.sendUntilAnswered(1)));
    for (const client of clients) await client.expectPaidOnce();
    return answers;
  };

  beforeAll(async () => {
    folder = serverFolder('lamppost-fault-db-');
    // A crashed server must keep committed data. The machine itself does not fail here, so no fsync is needed.
    const settings = { fsync: 'off', max_connections: 300 };
    server = await startEmbeddedPostgres({ dataDir: folder, settings });
    await migrate(server.url, { queues: true });
    deployment = await Deployment.start(server.url);
  });

  afterEach(async () => {
    await hands?.close();
    hands = undefined;
    await deployment.expectPeace();
  });

  afterAll(async () => {
    await deployment.stop();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('by kill -9 of its process', () => {
    it.each<[string, Moment]>([
      ['while the hold is written', HOLDING],
      ['while the answer is settled', SETTLING],
      ['while the money moves', TRANSFERRING],
      ['while the transfer is noted', RECORDING],
    ])('%s, which is committed all the same', async (_, moment) => {
      const holder = await stopped(moment);

      await deployment.kill(0);
      await holder.letGo();
      await holder.untilNobodyWaits(moment);

      await expectAllPaidOnce();
    });

    it('while the money moves, which is undone', async () => {
      const holder = await stopped(TRANSFERRING);

      await deployment.kill(0);
      await holder.cutOff(TRANSFERRING);
      await holder.letGo();

      await expectAllPaidOnce();
    });

    it('while the provider works: the hold is released, and the call runs again', async () => {
      await working();

      await deployment.kill(0);
      const answers = await expectAllPaidOnce();

      expect(await states()).toEqual(Array(3).fill('released charged'));
      expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual(Array(3).fill(undefined));
    });

    it('as soon as it was charged: everybody gets the answer that was paid', async () => {
      clients = await onEveryRail(deployment, SHORT);
      sendAll();
      await untilAll('charged');

      await deployment.kill(0);
      const answers = await expectAllPaidOnce();

      expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual(Array(3).fill('true'));
    });
  });

  it('by a pause that outlives its lease: the sweep decides, and the one who wakes up takes nothing', async () => {
    await working();

    await deployment.pause(0);
    await deployment.endLeases();
    await untilAll('released');
    await deployment.resume(0);
    const answers = await first;

    expect(answers.map((answer) => answer?.status)).toEqual([503, 503, 503]);
    await expectAllPaidOnce();
  });

  describe.each<[string, (holder: Hands) => Promise<Hands>]>([
    ['by the loss of its connections', (holder) => holder.cutAllConnections()],
    ['by an immediate restart of the database', (holder) => holder.crash()],
  ])('%s', (_, breakIt) => {
    it.each<[string, Moment]>([
      ['while the hold is written', HOLDING],
      ['while the answer is settled', SETTLING],
      ['while the money moves', TRANSFERRING],
      ['while the transfer is noted', RECORDING],
    ])('%s: it says that nobody knows, and the same call ends it', async (__, moment) => {
      hands = await breakIt(await stopped(moment));

      await hands.letGo();
      const answers = await first;

      expect(answers.some((answer) => answer?.status === 503)).toBe(true);
      await expectAllPaidOnce();
    });

    it('while the provider works: nobody notices', async () => {
      await working();

      hands = await breakIt(await Hands.on(deployment.databaseUrl));
      const answers = await first;

      expect(answers.map((answer) => answer?.status)).toEqual([200, 200, 200]);
      await expectAllPaidOnce();
    });
  });

  describe('by a client that hangs up: the work is done, and its answer waits for it', () => {
    let gone: AbortController;
    const sendAndLeave = (): void => {
      gone = new AbortController();
      first = Promise.all(clients.map((client) => client.send(0, gone.signal)));
    };

    it.each<[string, Moment]>([
      ['while the hold is written', HOLDING],
      ['while the answer is settled', SETTLING],
    ])('%s', async (_, moment) => {
      const holder = await stopped(moment, sendAndLeave);

      gone.abort();
      await holder.letGo();
      await untilAll('charged');
      const answers = await expectAllPaidOnce();

      expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual(Array(3).fill('true'));
    });

    it('while the provider works', async () => {
      await working(sendAndLeave);

      gone.abort();
      const answers = await expectAllPaidOnce({ dead: false });

      expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual(Array(3).fill('true'));
    });
  });
});
