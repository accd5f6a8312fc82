import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expectEventually } from '../support/eventually';
import { FakeFal } from '../support/fake-fal';
import type { ProviderFaultName } from '../support/fake-provider';
import { cloneDatabase } from '../support/postgres';
import type { Answer } from '../support/world';
import { Deployment } from './deployment';
import { FILM, FILM_CATALOG, filmEnv } from './films';
import { testStep } from './matrix';
import { type Change, MOMENTS, type Moment } from './moments';
import { type Goods, MONEY, type PayingClient, onEveryRail, payerIn } from './paying-client';
import { API, OTHER, Stage, WORKER } from './stage';

const { SUBMITTING, ACCEPTING } = MOMENTS;

const imageOf = (prompt: string): Goods => ({
  url: '/v1/agent/generate',
  body: { prompt },
  price: 30_770n,
});
const IMAGE = imageOf('a red fox');
const SLOW = imageOf('a red fox, who takes its time [[delay 2s]]');

/** A caller that waits for a job polls it now and then. */
const LOOKING: Moment = {
  tables: ['job'],
  statements: ['job-take-one'],
  waiting: 3,
};

const TAKING: Change = {
  table: 'job',
  event: 'update',
  when: 'old.provider_ref is null and new.provider_ref is not null',
};

/** Two processes that sell films. The second waits for its provider only a thirtieth of the usual time. */
const PATIENT = 0;
const IMPATIENT = 1;

type Scenario = () => Promise<void>;
type Cells = Readonly<Record<string, Readonly<Record<string, Scenario>>>>;

jest.setTimeout(120_000);

/** The statuses of the first answers. Undefined means that the connection broke. */
const statusesOf = (answers: readonly (Answer | undefined)[]): readonly (number | undefined)[] =>
  answers.map((answer) => answer?.status);

const allOf = async (clients: readonly PayingClient[], states: string): Promise<boolean> => {
  const all = await Promise.all(clients.map((client) => client.states()));
  return all.every((list) => list.join(' ') === states);
};

/** The same scenarios, each with this beginning. */
const beginningWith = <T extends Cells>(begin: Scenario, cells: T): T => {
  const begun = (tests: Cells[string]) =>
    Object.entries(tests).map(([promise, scenario]) => [promise, () => begin().then(scenario)] as const);
  return Object.fromEntries(
    Object.entries(cells).map(([fault, tests]) => [fault, Object.fromEntries(begun(tests))]),
  ) as T;
};

/** An image on each rail. The sandbox records its accepted work, and can be asked about it. */
describe('a job on its way to a provider that can be asked', () => {
  let stage: Stage;
  let clients: PayingClient[];
  let first: Promise<(Answer | undefined)[]>;
  let leaving: AbortController;

  /** Another deployment. Its provider can't be asked about its work, and reacts as a test orders. */
  let fal: FakeFal;
  let folder: string;
  let films: Deployment;

  beforeAll(async () => {
    fal = await FakeFal.start();
    fal.words = ['completed'];
    folder = mkdtempSync(join(tmpdir(), 'lamppost-films-'));
    const catalog = join(folder, 'catalog.json');
    writeFileSync(catalog, JSON.stringify(FILM_CATALOG));
    const filmed = { ...filmEnv(fal), CATALOG_FILE: catalog, MEDIA_SYNC_SECONDS: '1' };
    films = await Deployment.start(await cloneDatabase(), [filmed, { ...filmed, HURRY: '30' }]);
    stage = await Stage.start({
      own: { [API]: { CLOCK_JUMP_MS: '600000' } },
    });
  });

  afterEach(async () => {
    await stage.letGo();
    await stage.expectPeace();
  });

  afterAll(async () => {
    await Promise.all([stage.stop(), films.stop()]);
    await fal.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const sendAll = (): void => {
    leaving = new AbortController();
    first = Promise.all(clients.map((client) => client.send(API, leaving.signal)));
  };
  const stoppedAt = <T extends Cells>(moment: Moment, cells: T): T => {
    return beginningWith(async () => {
      clients = await onEveryRail(stage.deployment, IMAGE);
      await stage.stopAt(moment, sendAll);
    }, cells);
  };
  const withFilms = <T extends Cells>(cells: T): T =>
    beginningWith(async () => {
      fal.forgiveAll();
      fal.accepted.length = 0;
      fal.seen.length = 0;
      clients = await onEveryRail(films, FILM);
    }, cells);

  /** The calls that the provider has accepted and was not asked to cancel, with the states of their charges. */
  const works = async (): Promise<readonly { readonly payer: string; readonly state: string }[]> =>
    stage.deployment.db.rows(
      `select c.payer, c.state from sandbox_operation o
       join job j on j.id = o.reference join charge c on c.id = j.charge_id
       where not o.cancelled and c.payer = any($1)`,
      [clients.map(({ caller }) => payerIn(caller))],
    );
  const orphans = async (): Promise<number> =>
    (await works()).filter(({ state }) => state !== 'charged').length;

  /** Ends the leases at once, so that the sweep of abandoned charges decides now. */
  const untilAllAre = (state: 'charged' | 'released'): Promise<void> =>
    expectEventually(async () => {
      await stage.deployment.endLeases();
      return allOf(clients, state);
    });

  /** The repeated call has bought one medium: made once, paid once, and ready for download. */
  const expectServedOnce = async (place = OTHER): Promise<Answer[]> => {
    const answers = await Promise.all(clients.map((client) => client.sendUntilAnswered(place)));
    for (const client of clients) await client.expectPaidOnce();
    expect((await works()).map(({ payer, state }) => `${payer} ${state}`).sort()).toEqual(
      clients.map(({ caller }) => `${payerIn(caller)} charged`).sort(),
    );
    const url = await stage.deployment.url(place);
    for (const { body } of answers) {
      let job = body as { readonly status: string; readonly url?: string; readonly poll?: string };
      const { poll = '' } = job;
      await expectEventually(async () => {
        await stage.deployment.lookNow();
        if (job.status !== 'done') job = (await (await fetch(url + poll)).json()) as typeof job;
        return job.status === 'done';
      });
      const file = await fetch(url + new URL(job.url ?? '').pathname);
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'image/png']);
      await file.arrayBuffer();
    }
    return answers;
  };

  /** No caller noticed the fault. */
  const expectAllServedAtFirst = async (): Promise<void> => {
    expect(statusesOf(await first)).toEqual([200, 200, 200]);
    expect(await allOf(clients, 'charged')).toBe(true);
    await expectServedOnce();
  };
  /** The provider has the work, so the charge remains. A repeated call gets the same result. */
  const expectFoundOut = async (): Promise<void> => {
    await first;
    await untilAllAre('charged');
    const again = await expectServedOnce();
    expect(again.map(({ headers }) => headers['idempotent-replayed'])).toEqual(['true', 'true', 'true']);
    expect(await allOf(clients, 'charged')).toBe(true);
  };
  /** The provider has no work, so the money is refunded. A repeated call is a new purchase. */
  const expectGivenBack = async (): Promise<void> => {
    await first;
    await untilAllAre('released');
    for (const { caller } of clients) expect(await caller.left()).toBe(MONEY);
    await expectEventually(async () => (await orphans()) === 0);
    await expectServedOnce();
    expect(await allOf(clients, 'released charged')).toBe(true);
  };
  const expectDoubt = async (): Promise<void> => {
    const answers = await first;
    expect(statusesOf(answers)).toEqual([503, 503, 503]);
    expect(answers.map((answer) => Number(answer?.headers['retry-after']) > 0)).toEqual([true, true, true]);
  };

  const sendFilms = (place = PATIENT): Promise<(Answer | undefined)[]> =>
    Promise.all(clients.map((client) => client.send(place)));
  const submissions = (): number => fal.seen.filter(({ method }) => method === 'POST').length;

  /** The same calls, repeated after the provider has recovered. */
  const expectFilmsMade = async (alreadyAccepted: number): Promise<void> => {
    expect(await allOf(clients, 'released')).toBe(true);
    for (const { caller } of clients) expect(await caller.left()).toBe(MONEY);
    const answers = await Promise.all(clients.map((client) => client.sendUntilAnswered(0)));
    expect(answers.map(({ body }) => body.status)).toEqual(['running', 'running', 'running']);
    expect(fal.accepted).toHaveLength(alreadyAccepted + 3);
    expect(await allOf(clients, 'released charged')).toBe(true);
    for (const { caller } of clients) expect(await caller.left()).toBe(MONEY - FILM.price);
    await films.expectPeace();
  };
  const expectRefusedAtFirst = async (word: number, status: number): Promise<void> => {
    fal.failNext('submit', word, word, word);
    const answers = await sendFilms();
    expect(statusesOf(answers)).toEqual([status, status, status]);
    expect(answers.map((answer) => answer?.headers['x-charge-state'])).toEqual(Array(3).fill('released'));
    expect([submissions(), fal.accepted.length]).toEqual([3, 0]);
    await expectFilmsMade(0);
  };
  const untilGivenBack = (): Promise<void> =>
    expectEventually(async () => {
      await films.endDeadlines();
      await films.endLeases();
      return allOf(clients, 'released');
    });
  const expectDoubtUntilDeadline = async (
    faults: readonly ProviderFaultName[],
    place = PATIENT,
  ): Promise<void> => {
    fal.failNext('submit', ...faults);
    const answers = await sendFilms(place);
    expect(statusesOf(answers)).toEqual([503, 503, 503]);
    expect(answers.map((answer) => answer?.headers['x-charge-state'])).toEqual(Array(3).fill('held'));
    const again = await sendFilms();
    expect(statusesOf(again)).toEqual([409, 409, 409]);
    for (const answer of [...answers, ...again])
      expect(Number(answer?.headers['retry-after'])).toBeGreaterThan(0);
    expect(await allOf(clients, 'held')).toBe(true);
    expect(submissions()).toBe(3);
    const accepted = fal.accepted.length;
    await untilGivenBack();
    await expectFilmsMade(accepted);
  };

  /** The next `times` attempts to store that a job was accepted fail. Returns the number of attempts. */
  const whileTakingFails = async (
    sqlState: string,
    times: number,
    expectation: Scenario,
  ): Promise<number> => {
    clients = await onEveryRail(stage.deployment, IMAGE);
    await stage.hands.failNext(TAKING, sqlState, times);
    sendAll();
    let tried = 0;
    try {
      await expectation();
    } finally {
      tried = await stage.hands.forgive();
    }
    return tried;
  };

  /** The process that submitted the job dies before it stores the acceptance. New processes continue. */
  const leaveToNewWorkers = async (moment: Moment, killed: () => Promise<void>): Promise<void> => {
    await stage.deployment.kill(API);
    await stage.hands.cutOff(moment);
    await first;
    await killed();
    await stage.letGo();
  };
  const loseQueue = async (): Promise<void> => {
    await stage.hands.emptyQueue();
    await stage.deployment.kill(WORKER); // A new worker plans lost schedules at once, an old one within a minute or so.
  };

  /** The tests that both steps share. */
  const atEither = (moment: Moment) => ({
    c: {
      'it is accepted and answered before the process goes': async () => {
        const { gone } = await stage.beginToLeave(API);
        await stage.letGo();
        await expectAllServedAtFirst();
        await gone;
      },
    },
    w: {
      'it is made and paid, and waits for the client': async () => {
        leaving.abort();
        expect(statusesOf(await first)).toEqual([undefined, undefined, undefined]);
        await stage.letGo();
        await expectEventually(() => allOf(clients, 'charged'));
        await expectFoundOut();
      },
    },
    x: {
      'all get the one answer': async () => {
        const again = Promise.all(clients.flatMap((client) => [client.send(API), client.send(OTHER)]));
        await stage.letGo();
        const answers = [...(await first), ...(await again)];
        expect(statusesOf(answers)).toEqual(Array(9).fill(200));
        expect(new Set(answers.map((answer) => JSON.stringify(answer?.body))).size).toBe(3);
        await expectServedOnce();
      },
    },
    y: {
      'it buys nothing': async () => {
        await Promise.all(clients.map((client) => client.expectOtherBodyRefused(OTHER)));
        await stage.letGo();
        await expectAllServedAtFirst();
      },
    },
    z: {
      'it waits for the first one, and gets its answer': async () => {
        leaving.abort();
        await first;
        const again = Promise.all(clients.map((client) => client.send(OTHER)));
        await stage.letGo();
        expect(statusesOf(await again)).toEqual([200, 200, 200]);
        await expectFoundOut();
      },
    },
    aa: {
      'nobody notices': async () => {
        await stage.deployment.jumpClock(API);
        await stage.letGo();
        try {
          await expectAllServedAtFirst();
        } finally {
          await stage.deployment.jumpClock(API);
        }
      },
    },
    ab: {
      'nobody notices': async () => {
        const coming = stage.deployment.joinAndLeave(OTHER);
        await stage.letGo();
        await expectAllServedAtFirst();
        await coming;
      },
    },
    ac: {
      'it is found out when there is room again, if not at once': async () => {
        await stage.overload(
          API,
          async () => {
            await stage.letGo();
            await stage.hands.untilNobodyWaits(moment);
          },
          clients.length,
        );
        const received = statusesOf(await first);
        expect(received.filter((status) => status !== 200 && status !== 503)).toEqual([]);
        await expectEventually(async () => {
          await stage.deployment.endLeases();
          const all = await Promise.all(clients.map((client) => client.states()));
          return all.every((states) => states.join() !== 'held' && states.join() !== 'settling');
        });
        await expectServedOnce();
      },
    },
    ad: {
      'nobody notices': async () => {
        const migration = stage.hands.migrate(['sandbox_operation', 'job', 'charge', 'x402_payment']);
        await stage.letGo();
        await migration;
        await expectAllServedAtFirst();
      },
    },
  });

  testStep(4, {
    ...stoppedAt(SUBMITTING, {
      ...atEither(SUBMITTING),
      a: {
        'it is charged when the provider has taken it': async () => {
          await stage.deployment.kill(API);
          await stage.letGo();
          await stage.hands.untilNobodyWaits(SUBMITTING);
          await expectFoundOut();
        },
        'it is given back when the provider has not': async () => {
          await stage.deployment.kill(API);
          await stage.hands.cutOff(SUBMITTING);
          await stage.letGo();
          await expectGivenBack();
        },
      },
      b: {
        'those who take their place ask the provider, who has nothing': async () => {
          await leaveToNewWorkers(SUBMITTING, () => stage.killWorkers());
          await expectGivenBack();
        },
      },
      k: {
        'clocks are wound again, and it is given back': async () => {
          await leaveToNewWorkers(SUBMITTING, loseQueue);
          await expectGivenBack();
        },
      },
      d: {
        'it is given back, and what the one who wakes up submits is cancelled': async () => {
          await stage.deployment.pause(API);
          // No client reads that the statement was undone, so it is not repeated before the process continues.
          await stage.hands.untilNobodyWaits(SUBMITTING);
          await stage.letGo();
          await untilAllAre('released');
          await stage.deployment.resume(API);
          expect(statusesOf(await first)).toEqual([503, 503, 503]);
          const records = await stage.deployment.db.rows(
            'select cancelled from sandbox_operation order by created_at desc limit 3',
          );
          expect(records.map(({ cancelled }) => cancelled)).toEqual([true, true, true]);
          await expectGivenBack();
        },
      },
      g: {
        'it is asked what the provider has, which is nothing': async () => {
          await stage.crashDatabase();
          await expectDoubt();
          await expectGivenBack();
        },
      },
    }),
    ...withFilms({
      m: {
        'the money is back at once': async () => {
          await expectRefusedAtFirst(422, 502);
        },
      },
      n: {
        'the money is back at once': async () => {
          await expectRefusedAtFirst(429, 503);
        },
      },
      p: {
        'it is given back at its deadline, and what is taken afterwards is cancelled': async () => {
          const gates = clients.map(() => fal.holdNext('submit'));
          const answers = sendFilms();
          await Promise.all(gates.map((gate) => gate.reached));
          await untilGivenBack();
          gates.forEach((gate) => gate.open());
          expect(statusesOf(await answers)).toEqual([503, 503, 503]);
          // The service answers a waiting caller in time, and finishes the submission afterwards.
          await expectEventually(() => fal.accepted.filter(({ cancelled }) => cancelled).length === 3);
          expect(await films.metrics(PATIENT)).toMatch(/operation="submit",reason="orphan"\} 3$/m);
          await expectFilmsMade(3);
        },
      },
      q: {
        'nobody is asked again, and the deadline gives it back': async () => {
          fal.receipts.push(
            {},
            {},
            { request_id: '../../elsewhere', response_url: 'http://169.254.169.254/' },
          );
          await expectDoubtUntilDeadline(['garbage']);
        },
      },
    }),
    o: {
      ...withFilms({
        o: {
          'nobody else is asked, and the deadline gives it back': () =>
            expectDoubtUntilDeadline(['reset', 'drop reply', 500]),
          'a provider that hangs is nothing else': () =>
            expectDoubtUntilDeadline(['hang', 'hang', 'hang'], IMPATIENT),
        },
      }).o,
      ...stoppedAt(SUBMITTING, {
        o: {
          'one that can be asked is asked: it has nothing': async () => {
            await expectDoubt();
            expect([await allOf(clients, 'held'), await works()]).toEqual([true, []]);
            await stage.letGo();
            await expectGivenBack();
          },
        },
      }).o,
    },
  });

  testStep(5, {
    ...stoppedAt(ACCEPTING, {
      ...atEither(ACCEPTING),
      a: {
        'it is found out when nothing was written down': async () => {
          await stage.deployment.kill(API);
          await stage.hands.cutOff(ACCEPTING);
          await stage.letGo();
          await expectFoundOut();
        },
        'it goes on when it was written down': async () => {
          await stage.deployment.kill(API);
          await stage.letGo();
          await stage.hands.untilNobodyWaits(ACCEPTING);
          await expectFoundOut();
        },
      },
      b: {
        'those who take their place ask the provider, who has it': async () => {
          await leaveToNewWorkers(ACCEPTING, () => stage.killWorkers());
          await expectFoundOut();
        },
      },
      k: {
        'clocks are wound again, and it goes on': async () => {
          await leaveToNewWorkers(ACCEPTING, loseQueue);
          await expectFoundOut();
        },
      },
      d: {
        'others find out, and the one who wakes up changes nothing': async () => {
          await stage.deployment.pause(API);
          await stage.hands.untilNobodyWaits(ACCEPTING);
          await stage.letGo();
          await untilAllAre('charged');
          await stage.deployment.resume(API);
          await expectFoundOut();
        },
      },
      e: {
        'it is written down by another connection': async () => {
          await stage.hands.cutAllConnections();
          await stage.letGo();
          await expectAllServedAtFirst();
        },
      },
      f: {
        'it is written down again, which changes nothing': async () => {
          stage.wire.loseAnswers();
          await stage.letGo();
          await expectAllServedAtFirst();
        },
      },
      g: {
        'it is written down when the database is back': async () => {
          await stage.crashDatabase();
          await stage.letGo();
          await expectAllServedAtFirst();
        },
      },
    }),
    h: {
      'the statement is repeated': async () => {
        expect(await whileTakingFails('40P01', 2, expectAllServedAtFirst)).toBe(5);
      },
    },
    i: {
      'it is written down when there soon is room again': async () => {
        expect(await whileTakingFails('53100', 6, expectAllServedAtFirst)).toBe(9);
      },
      'nobody knows, until there is room again and the provider is asked': async () => {
        expect(await whileTakingFails('53100', 1_000, expectDoubt)).toBeGreaterThan(2);
        await expectFoundOut();
      },
    },
    ...stoppedAt(SUBMITTING, {
      p: {
        'what others have found out stands when its answer comes after all': async () => {
          await stage.deployment.pause(API);
          await stage.letGo();
          await stage.hands.untilNobodyWaits(SUBMITTING);
          expect(await works()).toHaveLength(3);
          await untilAllAre('charged');
          await stage.deployment.resume(API);
          await expectFoundOut();
        },
      },
    }),
  });

  /** The provider has accepted the image, and the caller is still connected. */
  describe('and waits for its image', () => {
    const waitingFor = async (goods: Goods): Promise<void> => {
      clients = await onEveryRail(stage.deployment, goods);
      sendAll();
      await expectEventually(async () => (await works()).length === 3 && (await taken()) === 3);
    };
    const taken = async (): Promise<number> => {
      const rows = await stage.deployment.db.rows(
        'select from job j join charge c on c.id = j.charge_id where j.provider_ref is not null and c.payer = any($1)',
        [clients.map(({ caller }) => payerIn(caller))],
      );
      return rows.length;
    };

    it.each<[string, () => Promise<unknown>]>([
      ['loses its connections', () => stage.hands.cutAllConnections()],
      ['hears nothing any more', async () => stage.wire.loseAnswers()],
      ['sees the database crash', () => stage.crashDatabase()],
    ])('gets it although the service %s meanwhile', async (_, strike) => {
      await waitingFor(SLOW);
      await stage.stopAt(LOOKING, () => undefined);
      await strike();
      await stage.letGo();
      await expectEventually(async () => {
        await stage.deployment.lookNow();
        return allOf(clients, 'charged');
      });
      await expectAllServedAtFirst();
    });

    it('comes again for it when the database is away at the end of the wait: the charge stays', async () => {
      await waitingFor({ ...SLOW, headers: { prefer: 'wait=1' } });
      await stage.stopAt({ ...LOOKING, evenReaders: true }, () => undefined);
      await expectDoubt();
      await stage.letGo();
      await expectFoundOut();
    });
  });
});
