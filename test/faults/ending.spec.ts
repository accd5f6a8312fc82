import { walletAccount } from '#money/billing/ledger/account-id';
import { parseWallet } from '#kernel/wallet-address';
import { expectEventually } from '../support/eventually';
import { FakeFal, type FakeFalRequest } from '../support/fake-fal';
import type { ProviderFaultName } from '../support/fake-provider';
import { FILM, FILM_CATALOG, filmEnv } from './films';
import { testStep } from './matrix';
import type { Change, Moment } from './moments';
import { type Goods, MONEY, type PayingClient, onEveryRail, payerIn } from './paying-client';
import { API, OTHER, Stage, WORKER, WORKERS } from './stage';

const PICTURE_MODEL = {
  id: 'picture',
  name: 'Picture',
  mode: 't2i',
  audio: false,
  aspectRatios: ['1:1'],
  resolutions: [],
  imageSizes: ['1024x1024'],
  durations: [],
  pricing: { unit: 'image', usd: { default: '0.04' } },
  routes: [{ provider: 'fal', model: 'fal-ai/flux/dev' }],
};
const GOOD: Goods = FILM;
const BAD: Goods = { ...FILM, body: { modelId: 'film', prompt: 'a street that fails' } };
const PICTURE: Goods = { ...FILM, body: { modelId: 'picture', prompt: 'a red fox' } };

/** Three jobs are about to be stored as done, and the money of three other jobs is about to be refunded. */
const ENDING: Moment = { tables: ['media'], statements: ['job-done'], waiting: 3 };
const REFUNDING: Moment = {
  tables: ['ledger_entry'],
  statements: ['ledger-refund', 'x402-late-failure'],
  waiting: 3,
};
const BOTH: Moment = {
  tables: [],
  statements: [...ENDING.statements, ...REFUNDING.statements],
  waiting: 6,
};

const LOOKS = /\/status$/;
const RESULTS = /\/requests\/[^/]+$/;
const FILES = /^\/files\//;

const ENDS: Change = { table: 'media', event: 'insert' };
const REFUNDS: Change = { table: 'ledger_entry', event: 'insert', when: `new.kind = 'refund'` };

jest.setTimeout(120_000);

/**
 * Two films on each rail, paid and accepted. One of each is done, and its end is being stored. The other has failed,
 * and its money is being refunded.
 */
describe('a job that ends', () => {
  let fal: FakeFal;
  let stage: Stage;
  let good: PayingClient[];
  let bad: PayingClient[];
  let made: FakeFalRequest[];

  beforeAll(async () => {
    fal = await FakeFal.start();
    stage = await Stage.start({
      catalog: { ...FILM_CATALOG, media: [...FILM_CATALOG.media, PICTURE_MODEL] },
      env: filmEnv(fal),
      own: { [WORKER]: { CLOCK_JUMP_MS: '600000' }, [OTHER]: { CLOCK_JUMP_MS: '-600000' } },
    });
  });

  beforeEach(async () => {
    fal.words = ['running'];
    fal.accepted.length = 0;
    [good, bad] = await Promise.all([
      onEveryRail(stage.deployment, GOOD),
      onEveryRail(stage.deployment, BAD),
    ]);
    const clients = [...good, ...bad];
    const answers = await Promise.all(clients.map((client) => client.send(API)));
    expect(answers.map((answer) => answer?.body.status)).toEqual(clients.map(() => 'running'));
    made = [...fal.accepted];

    for (const moment of [ENDING, REFUNDING]) await stage.hands.hold(moment);
    const results = good.map(() => fal.holdNext('result'));
    sayOf(GOOD, 'completed');
    sayOf(BAD, 'failed');
    await stage.deployment.lookNow();
    await stage.hands.untilReached(REFUNDING);
    await Promise.all(results.map((result) => result.reached));
    results.forEach((result) => result.open());
    await stage.hands.untilReached(BOTH);
    expect(await statuses(good)).toEqual(['running', 'running', 'running']);
    expect(await statuses(bad)).toEqual(['failed', 'failed', 'failed']);
    expect(await charges(clients)).toEqual(clients.map(() => 'charged'));
  });

  afterEach(async () => {
    await stage.hands.letGo();
    fal.forgiveAll();
    await stage.expectPeace();
    await expectBlobsToBalance();
  });

  afterAll(async () => {
    await stage.stop();
    await fal.stop();
  });

  const sayOf = ({ body }: Goods, word: FakeFalRequest['words'][number]): void => {
    for (const request of made) {
      if (request.input['prompt'] === (body as { prompt: string }).prompt) request.words = [word];
    }
  };
  const goOn = (): Promise<void> => stage.hands.letGo();
  /** Undoes the statements that wait at the moment. The service gets their errors. */
  const undo = async (moment: Moment): Promise<void> => {
    // A statement waits for at most a second, and the service tries it three times. Then it polls the job again.
    await stage.hands.untilReached(moment, () => stage.deployment.lookNow());
    await stage.hands.cutOff(moment);
    await goOn();
  };

  const statuses = async (clients: readonly PayingClient[]): Promise<string[]> => {
    const rows = await stage.deployment.db.rows<{ status: string }>(
      'select j.status from job j join charge c on c.id = j.charge_id where c.payer = any($1)',
      [clients.map(({ caller }) => payerIn(caller))],
    );
    return rows.map(({ status }) => status);
  };
  const charges = async (clients: readonly PayingClient[]): Promise<string[]> =>
    (await Promise.all(clients.map((client) => client.states()))).flat();
  const until = (clients: readonly PayingClient[], status: string): Promise<void> =>
    expectEventually(async () => {
      await stage.deployment.endLeases();
      await stage.deployment.lookNow();
      return (await statuses(clients)).every((now) => now === status);
    });

  /** Each row has its file, and each file has its row. */
  const expectBlobsToBalance = async (): Promise<void> => {
    const known = async (): Promise<string[]> =>
      (await stage.deployment.db.rows<{ key: string }>('select blob_key as key from media')).map(
        ({ key }) => key,
      );
    const strays = async (): Promise<string[]> => {
      const keys = await known();
      return stage.storedMedia().filter((key) => !keys.includes(key));
    };
    await expectEventually(async () => (await strays()).length === 0).catch(() => undefined);
    expect(stage.storedMedia().sort()).toEqual((await known()).sort());
  };

  const jobOf = async (client: PayingClient, place: number): Promise<Record<string, string>> => {
    const again = await client.sendUntilAnswered(place);
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, 'true']);
    const url = `${await stage.deployment.url(place)}/v1/agent/jobs/${again.body.jobId}`;
    return (await (await fetch(url)).json()) as Record<string, string>;
  };

  /** Each film was made and paid once, and its one file can be downloaded. A repeated call gets the same answer. */
  const expectDoneOnce = async (clients = good, place = OTHER): Promise<void> => {
    await until(clients, 'done');
    for (const client of clients) {
      const job = await jobOf(client, place);
      expect([job['status'], job['chargeState']]).toEqual(['done', 'charged']);
      await client.expectPaidOnce();
      const { pathname } = new URL(job['url']!);
      const file = await fetch(`${await stage.deployment.url(API)}${pathname}`);
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'video/mp4']);
      await file.arrayBuffer();
    }
  };

  /** All films failed. Prepaid rails got their money back, and x402 payers got it as prepaid balance. */
  const expectGivenBack = async (clients = bad, place = OTHER): Promise<void> => {
    await until(clients, 'failed');
    await expectEventually(async () => (await charges(clients)).every((state) => state === 'refunded'));
    for (const client of clients) {
      const job = await jobOf(client, place);
      expect([job['status'], job['chargeState'], job['url']]).toEqual(['failed', 'refunded', undefined]);
      expect(await client.states()).toEqual(['refunded']);
      expect({ rail: client.rail, money: await moneyOf(client) }).toEqual({
        rail: client.rail,
        money: MONEY,
      });
    }
  };
  const moneyOf = async ({ rail, caller }: PayingClient): Promise<bigint> => {
    if (rail !== 'x402') return caller.left();
    const [row] = await stage.deployment.db.rows<{ balance: string }>(
      'select balance_micro as balance from ledger_account where id = $1',
      [walletAccount(parseWallet(caller.payer)!)],
    );
    expect(await caller.left()).toBe(MONEY - GOOD.price);
    return (await caller.left()) + BigInt(row?.balance ?? 0);
  };

  /** Both films end as if nothing had happened, and the provider got no request twice. */
  const expectEnds = async (place = OTHER): Promise<void> => {
    await expectDoneOnce(good, place);
    await expectGivenBack(bad, place);
    expect(fal.accepted).toEqual(made);
  };

  const isScheduleAhead = async (): Promise<boolean> => {
    const [row] = await stage.deployment.db.rows<{ ahead: boolean }>(
      `select bool_or(to_timestamp(next_run_ms / 1000) > now() + interval '5 minutes') as ahead
       from bullmq.scheduler where queue = 'schedule'`,
    );
    return row?.ahead === true;
  };

  const asked = (path: RegExp): number => fal.seen.filter((request) => path.test(request.path)).length;
  /** Other processes poll the jobs that are about to be stored as done. */
  const lookAgain = async (fault?: ProviderFaultName): Promise<void> => {
    const before = asked(LOOKS);
    if (fault !== undefined) fal.failNext('status', fault, fault, fault);
    await stage.deployment.lookNow();
    await expectEventually(() => asked(LOOKS) >= before + 3);
  };

  testStep(10, {
    a: {
      'others finish what it would have ended itself': async () => {
        await stage.pauseWorkers();
        await stage.hands.letGoOfLast(); // With the writes still held, no client could pay.
        await stage.hands.untilNobodyWaits(BOTH);
        fal.words = ['completed'];
        const pictures = await onEveryRail(stage.deployment, PICTURE);
        const answers = Promise.all(pictures.map((client) => client.send(API)));
        await stage.hands.untilReached(ENDING);

        await stage.deployment.kill(API);
        await undo(ENDING);
        await stage.resumeWorkers();

        expect(await answers).toEqual([undefined, undefined, undefined]);
        await until(pictures, 'done');
        for (const client of pictures) {
          expect((await client.sendUntilAnswered(OTHER)).body.status).toBe('done');
          await client.expectPaidOnce();
        }
        made = [...fal.accepted];
        expect(made).toHaveLength(9);
        await expectEnds();
      },
    },
    b: {
      'what they had said happens once': async () => {
        await stage.killWorkers();
        await goOn();
        await expectEnds();
      },
      'what is undone with them is done by those who take their place': async () => {
        await stage.killWorkers();
        await undo(BOTH);
        await expectEnds();
      },
    },
    c: {
      'they go when it is done': async () => {
        const leaving = await Promise.all(WORKERS.map((place) => stage.beginToLeave(place)));
        await goOn();
        await Promise.all(leaving.map(({ gone }) => gone));
        await expectEnds();
      },
    },
    d: {
      'another does it, and those who wake up change nothing': async () => {
        await stage.pauseWorkers();
        await undo(BOTH);
        await stage.deployment.joinAndLeave(WORKER, async () => {
          await until(good, 'done');
          await expectEventually(async () => (await charges(bad)).every((state) => state === 'refunded'));
        });
        await stage.resumeWorkers();
        await expectEnds();
      },
    },
    e: {
      'it is done again': async () => {
        await stage.hands.cutAllConnections();
        await goOn();
        await expectEnds();
      },
    },
    f: {
      'it is done once, although nobody heard of it': async () => {
        stage.wire.loseAnswers();
        await goOn();
        await expectEnds();
      },
    },
    g: {
      'it is done again': async () => {
        await stage.crashDatabase();
        await expectEnds();
      },
    },
    h: {
      'the statement is repeated': async () => {
        for (const change of [ENDS, REFUNDS]) await stage.hands.failNext(change, '40P01', 2);
        await goOn();
        await expectEnds();
        expect(await stage.hands.forgive()).toBeGreaterThanOrEqual(5);
      },
    },
    i: {
      'it is done when there is room': async () => {
        for (const change of [ENDS, REFUNDS]) await stage.hands.failNext(change, '53100', 1_000);
        await goOn();
        await expectEventually(async () => (await stage.hands.hits()) >= 3);
        expect(await charges(bad)).toEqual(['charged', 'charged', 'charged']);
        await stage.hands.forgive();
        await expectEnds();
      },
      'where it is the disk of the media, money is given back, and the rest is done when there is room':
        async () => {
          // The poll runs while the disk has space: a copy that fails never reaches its statement.
          await stage.hands.untilReached(ENDING, () => stage.deployment.lookNow());
          const makeRoom = stage.fillBlobStore();
          try {
            const before = asked(FILES);
            await stage.hands.cutOff(ENDING);
            await goOn();
            await expectGivenBack();
            await expectEventually(async () => {
              await stage.deployment.lookNow();
              return asked(FILES) >= before + 6;
            });
            expect(await statuses(good)).toEqual(['running', 'running', 'running']);
          } finally {
            makeRoom();
          }
          await expectEnds();
        },
    },
    j: {
      'what has begun ends, and the rest when the queue is back': async () => {
        await stage.hands.takeQueueAway();
        await undo(REFUNDING);
        await expectEventually(async () => (await statuses(good)).every((now) => now === 'done'));
        await stage.hands.restoreQueue();
        await expectEnds();
      },
    },
    k: {
      'clocks are wound again, and it is done': async () => {
        await stage.hands.emptyQueue();
        await undo(BOTH);
        // A new worker plans lost schedules at once, an old one within a minute or so.
        await stage.deployment.kill(WORKER);
        await expectEnds();
      },
    },
    l: {
      'two do it, and it happens once': async () => {
        await stage.hands.untilReached({ ...REFUNDING, waiting: 6 }, () => stage.deployment.endPauses());
        await stage.hands.letGoOfLast();
        await stage.hands.untilReached({ ...ENDING, waiting: 6 }, () => stage.deployment.lookNow());
        await goOn();
        await expectEnds();
      },
    },
    m: {
      'a look that is refused meanwhile decides nothing': async () => {
        await lookAgain(422);
        await goOn();
        await expectEnds();
      },
    },
    p: {
      'a success that comes after the refund changes nothing, and leaves nothing behind': async () => {
        const late = good.map(() => fal.holdNext('result'));
        await stage.deployment.lookNow();
        await Promise.all(late.map((result) => result.reached));
        sayOf(GOOD, 'failed');
        await until(good, 'failed');
        await goOn();
        await expectGivenBack([...good, ...bad]);

        const before = asked(FILES);
        late.forEach((result) => result.open());
        await expectEventually(() => asked(FILES) >= before + 3);
        await expectBlobsToBalance();
        await expectGivenBack([...good, ...bad]);
      },
      'a failure that comes after the success changes nothing': async () => {
        const late = good.map(() => fal.holdNext('status', { taken: false }));
        await stage.deployment.lookNow();
        await Promise.all(late.map((poll) => poll.reached));
        await goOn();
        await until(good, 'done');
        sayOf(GOOD, 'failed');
        late.forEach((poll) => poll.open());
        await expectEnds();
      },
    },
    q: {
      'a look that says nothing decides nothing': async () => {
        await lookAgain('garbage');
        await goOn();
        await expectEnds();
      },
      'a result that cannot be read is asked for again': async () => {
        fal.failNext('result', 'garbage', 'garbage', 'garbage');
        const before = asked(RESULTS);
        await undo(ENDING);
        await expectEventually(async () => {
          await stage.deployment.lookNow();
          return asked(RESULTS) >= before + 3;
        });
        await expectEnds();
      },
    },
    r: {
      'it is given back at its deadline, whoever was about to end it well': async () => {
        sayOf(GOOD, 'running');
        await stage.deployment.endDeadlines();
        await until(good, 'failed');
        await goOn();
        await expectGivenBack([...good, ...bad]);
        const given = made.filter(({ words }) => words[0] === 'running');
        await expectEventually(() => given.length === 3 && given.every(({ cancelled }) => cancelled));
      },
      'what is done by then is not thrown away': async () => {
        // Four statements for three jobs mean that two processes end one job at the same time.
        await stage.hands.untilReached({ ...ENDING, waiting: 4 }, async () => {
          await stage.deployment.endLeases();
          await stage.deployment.endDeadlines();
        });
        await goOn();
        await expectEnds();
      },
    },
    x: {
      'all get the one job': async () => {
        const clients = [...good, ...bad];
        const again = await Promise.all(clients.flatMap((client) => [client.send(API), client.send(OTHER)]));
        expect(new Set(again.map((answer) => answer?.body.jobId)).size).toBe(6);
        await goOn();
        await expectEnds();
      },
    },
    y: {
      'it buys nothing': async () => {
        for (const client of [...good, ...bad]) await client.expectOtherBodyRefused(OTHER);
        await goOn();
        await expectEnds();
      },
    },
    z: {
      'it is told how the same job ended': async () => {
        await goOn();
        await expectEnds(API);
        await expectEnds(OTHER);
      },
    },
    aa: {
      'one is ahead and one behind, and it is done once': async () => {
        await stage.deployment.jumpClock(WORKER);
        await stage.deployment.jumpClock(OTHER);
        await undo(BOTH);
        try {
          await expectEnds(API);
        } finally {
          await stage.killWorkers();
        }
      },
      'it is done when one that was ahead is gone': async () => {
        await stage.deployment.jumpClock(WORKER);
        await expectEventually(() => isScheduleAhead());
        await stage.deployment.kill(WORKER);
        await undo(BOTH);
        await expectEnds();
      },
    },
    ab: {
      'nobody notices': async () => {
        await stage.deployment.joinAndLeave(WORKER);
        await goOn();
        await expectEnds();
      },
    },
    ac: {
      'it is done when there is room again': async () => {
        const endAll = async (): Promise<void> => {
          await undo(BOTH);
          await until(good, 'done');
        };
        await stage.overload(OTHER, endAll, BOTH.waiting);
        await expectEnds();
      },
    },
    ad: {
      'nobody notices': async () => {
        const hands = await stage.moreHands();
        const migration = hands.migrate(['job', 'charge', 'media', 'ledger_entry', 'ledger_account']);
        await goOn();
        await migration;
        await hands.close();
        await expectEnds();
      },
    },
  });
});
