import { FakeFal, type FakeFalRequest } from '../support/fake-fal';
import { expectEventually } from '../support/eventually';
import type { Gate, ProviderFaultName } from '../support/fake-provider';
import { FILM, FILM_CATALOG, filmEnv } from './films';
import { testStep } from './matrix';
import type { Change } from './moments';
import { MONEY, type PayingClient, onEveryRail } from './paying-client';
import { API, OTHER, Stage, WORKER, WORKERS } from './stage';

const LOOKING: Change = { table: 'job', event: 'update', when: 'new.polls > old.polls' };

jest.setTimeout(120_000);

/**
 * One film on each rail: its provider has accepted it, and its caller has been answered. The next poll waits at the
 * provider.
 */
describe('a job that runs', () => {
  let fal: FakeFal;
  let stage: Stage;
  let clients: PayingClient[];
  let polls: Gate[];
  let made: FakeFalRequest[];

  beforeAll(async () => {
    fal = await FakeFal.start();
    stage = await Stage.start({
      catalog: FILM_CATALOG,
      env: filmEnv(fal),
      own: { [WORKER]: { CLOCK_JUMP_MS: '600000' }, [OTHER]: { CLOCK_JUMP_MS: '-600000' } },
    });
  });

  beforeEach(async () => {
    fal.words = ['completed'];
    fal.accepted.length = 0;
    clients = await onEveryRail(stage.deployment, FILM);
    polls = clients.map(() => fal.holdNext('status', { taken: false }));
    const answers = await Promise.all(clients.map((client) => client.send(API)));
    expect(answers.map((answer) => answer?.body.status)).toEqual(['running', 'running', 'running']);
    made = [...fal.accepted];
    await Promise.all(polls.map((poll) => poll.reached));
  });

  afterEach(async () => {
    goOn();
    fal.forgiveAll();
    await stage.expectPeace();
  });

  afterAll(async () => {
    await stage.stop();
    await fal.stop();
  });

  const goOn = (): void => polls.forEach((poll) => poll.open());

  const statuses = async (): Promise<string[]> => {
    const ids = await stage.deployment.db.rows<{ status: string }>(
      'select status from job order by created_at desc limit 3',
    );
    return ids.map(({ status }) => status);
  };
  const until = (status: string): Promise<void> =>
    expectEventually(async () => {
      await stage.deployment.endLeases();
      return (await statuses()).every((now) => now === status);
    });

  /** Each film was made and paid once, and its one file can be downloaded. A repeated call gets the same answer. */
  const expectDoneOnce = async (place = OTHER): Promise<void> => {
    await until('done');
    const media = await stage.deployment.db.rows(
      `select from media where job_id in (select id from job order by created_at desc limit 3)`,
    );
    expect(media).toHaveLength(3);
    expect(fal.accepted).toEqual(made);
    for (const client of clients) {
      const again = await client.sendUntilAnswered(place);
      expect(again.headers['idempotent-replayed']).toBe('true');
      await client.expectPaidOnce();
      const job = await (await fetch(`${await stage.deployment.url(place)}${again.body.poll}`)).json();
      const { pathname } = new URL((job as { url: string }).url);
      const file = await fetch(`${await stage.deployment.url(API)}${pathname}`);
      expect([file.status, file.headers.get('content-type')]).toEqual([200, 'video/mp4']);
      await file.arrayBuffer();
    }
  };

  /** All films failed. Prepaid rails got their money back, and x402 payers got it as prepaid balance. */
  const expectGivenBack = async (): Promise<void> => {
    await until('failed');
    await expectEventually(async () => {
      const states = await Promise.all(clients.map((client) => client.states()));
      return states.every((list) => list.join() === 'refunded');
    });
    for (const client of clients) {
      const left = client.rail === 'x402' ? MONEY - FILM.price : MONEY;
      expect({ rail: client.rail, left: await client.caller.left() }).toEqual({ rail: client.rail, left });
    }
  };

  /** The polls after those that wait now fail. */
  const withNextLooks = async (fault: ProviderFaultName): Promise<void> => {
    sayFirst('running');
    fal.failNext('status', fault, fault, fault);
    goOn();
  };
  const askedAgainAfter = async (fault: ProviderFaultName): Promise<void> => {
    await withNextLooks(fault);
    // A failed poll is repeated later. Here that is soon.
    await expectEventually(async () => {
      await stage.deployment.lookNow();
      return (await statuses()).every((now) => now === 'done');
    });
    await expectDoneOnce();
  };
  const sayFirst = (word: 'running' | 'failed'): void =>
    fal.accepted.forEach(({ words }) => words.unshift(word));

  testStep(9, {
    a: {
      'others finish it': async () => {
        await stage.deployment.kill(API);
        goOn();
        await expectDoneOnce();
      },
    },
    b: {
      'those who take their place finish it': async () => {
        await stage.killWorkers();
        await expectDoneOnce();
      },
    },
    c: {
      'what is looked at is finished before they go, the rest by those who come': async () => {
        const gone = Promise.all([OTHER, WORKER].map((place) => stage.deployment.replace(place)));
        goOn();
        await gone;
        await expectDoneOnce();
      },
    },
    d: {
      'another finishes it, and the one who wakes up changes nothing': async () => {
        await stage.deployment.pause(WORKER);
        await stage.deployment.lookNow();
        await until('done');
        await stage.deployment.resume(WORKER);
        goOn();
        await expectDoneOnce();
      },
    },
    e: {
      'nobody notices': async () => {
        await stage.hands.cutAllConnections();
        goOn();
        await expectDoneOnce();
      },
    },
    f: {
      'the look counts once, whether or not it is heard of': async () => {
        stage.wire.loseAnswers();
        goOn();
        await expectDoneOnce();
      },
    },
    g: {
      'nobody notices': async () => {
        await stage.crashDatabase();
        goOn();
        await expectDoneOnce();
      },
    },
    h: {
      'the statement is repeated': async () => {
        sayFirst('running');
        await stage.hands.failNext(LOOKING, '40P01', 2);
        goOn();
        await expectDoneOnce();
        expect(await stage.hands.forgive()).toBeGreaterThanOrEqual(3);
      },
    },
    i: {
      'it is looked at again when there is room': async () => {
        sayFirst('running');
        await stage.hands.failNext(LOOKING, '53100', 1_000);
        goOn();
        await expectEventually(async () => (await stage.hands.hits()) > 0);
        await stage.hands.forgive();
        await expectDoneOnce();
      },
    },
    j: {
      'it waits, and is finished when the queue is back': async () => {
        await stage.hands.takeQueueAway();
        sayFirst('running');
        goOn();
        await stage.hands.restoreQueue();
        await expectDoneOnce();
      },
    },
    k: {
      'clocks are wound again, and it is finished': async () => {
        sayFirst('running');
        await stage.hands.emptyQueue();
        goOn();
        // A new worker plans lost schedules at once, an old one within a minute or so.
        await stage.deployment.kill(WORKER);
        await expectDoneOnce();
      },
    },
    l: {
      'two look at it, and one of them ends it': async () => {
        const more = clients.map(() => fal.holdNext('status'));
        await stage.deployment.lookNow();
        await Promise.all(more.map((poll) => poll.reached));
        goOn();
        more.forEach((poll) => poll.open());
        await expectDoneOnce();
      },
    },
    m: {
      'a look that is refused decides nothing; work that failed is given back': async () => {
        await withNextLooks(422);
        fal.accepted.forEach(({ words }) => (words[0] = 'failed'));
        await expectGivenBack();
      },
    },
    n: { 'it is asked again': () => askedAgainAfter(429) },
    o: {
      'it is asked again after an error': () => askedAgainAfter(500),
      'it is asked again after a broken connection': () => askedAgainAfter('reset'),
      'it is asked by another when one gets no answer': async () => {
        await stage.deployment.endLeases();
        await stage.deployment.lookNow();
        await expectDoneOnce();
      },
    },
    p: {
      'what was done stays done': async () => {
        // One process is told that the jobs run, but this answer is late. Another process has ended the jobs meanwhile.
        const late = clients.map(() => fal.holdNext('status', { taken: true }));
        sayFirst('running');
        await stage.deployment.lookNow();
        await Promise.all(late.map((poll) => poll.reached));
        goOn();
        await until('done');
        late.forEach((poll) => poll.open());
        await expectDoneOnce();
      },
    },
    q: {
      'it decides nothing, and operators are told': async () => {
        await askedAgainAfter('garbage');
        const reported = await Promise.all(WORKERS.map((place) => stage.deployment.metrics(place)));
        expect(reported.join()).toMatch(
          /errors_total\{provider="fal",operation="status",reason="unreadable"\} [1-9]/,
        );
      },
    },
    r: {
      'it is given back at its deadline, and the provider told to stop': async () => {
        fal.accepted.forEach(({ words }) => (words[0] = 'running'));
        goOn();
        await stage.deployment.endDeadlines();
        await expectGivenBack();
        await expectEventually(() => fal.accepted.every(({ cancelled }) => cancelled));
      },
    },
    x: {
      'all get the one job': async () => {
        const again = await Promise.all(clients.flatMap((client) => [client.send(API), client.send(OTHER)]));
        expect(new Set(again.map((answer) => answer?.body.jobId)).size).toBe(3);
        goOn();
        await expectDoneOnce();
      },
    },
    y: {
      'it buys nothing': async () => {
        for (const client of clients) await client.expectOtherBodyRefused(OTHER);
        goOn();
        await expectDoneOnce();
      },
    },
    z: {
      'it is told of the same job': async () => {
        goOn();
        await until('done');
        await expectDoneOnce();
      },
    },
    aa: {
      'one is ahead and one behind, and it is finished once': async () => {
        await stage.deployment.jumpClock(WORKER);
        await stage.deployment.jumpClock(OTHER);
        goOn();
        try {
          await expectDoneOnce(API);
        } finally {
          await stage.killWorkers(); // Their clocks do not return to the right time.
        }
      },
    },
    ab: {
      'nobody notices': async () => {
        // This must happen before the process leaves, or the process would wait for the held polls.
        await stage.deployment.joinAndLeave(WORKER, async () => goOn());
        await expectDoneOnce();
      },
    },
    ac: {
      'it is finished when there is room again': async () => {
        await stage.overload(OTHER, async () => {
          goOn();
          await until('done');
        });
        await expectDoneOnce();
      },
    },
    ad: {
      'nobody notices': async () => {
        const migration = stage.hands.migrate(['job', 'charge', 'media', 'ledger_entry', 'ledger_account']);
        goOn();
        await migration;
        await expectDoneOnce();
      },
    },
  });
});
