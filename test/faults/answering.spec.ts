import type { RailName } from '../contract/rail-callers';
import type { Answer } from '../support/world';
import { expectEventually } from '../support/eventually';
import { testStep } from './matrix';
import { type Goods, PayingClient, chatOf } from './paying-client';
import { API, OTHER, Stage } from './stage';

const TEXT = chatOf('Say something short.');
const SLOW = chatOf('Take your time. [[delay 1s]]');
const IMAGE: Goods = {
  url: '/v1/agent/generate',
  body: { prompt: 'a lamp at night [[delay 1.5s]]' },
  price: 30_770n,
};
/** The step that charges a call, on each rail. */
const CHARGING = /ledger-settle|x402-charged/;

jest.setTimeout(120_000);

/** The call is charged, and the database has stored that. Its process has not read this yet, and has not answered. */
describe('a call whose answer is sent', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await Stage.start({
      env: { MEDIA_SYNC_SECONDS: '1' },
      own: { [API]: { CLOCK_JUMP_MS: '-600000' } },
    });
  });

  afterAll(() => stage.stop());

  describe.each<[string, RailName, Goods]>([
    ['a text with x402', 'x402', TEXT],
    ['a text from a wallet', 'wallet', TEXT],
    ['an image with a key', 'api-key', IMAGE],
  ])('%s', (_, rail, goods) => {
    let client: PayingClient;
    let reader: AbortController;
    let first: Promise<Answer | undefined>;
    let answered: boolean;

    const begin = async (bought: Goods): Promise<void> => {
      client = await PayingClient.on(stage.deployment, rail, bought);
      reader = new AbortController();
      answered = false;
      stage.wire.holdAnswersTo(CHARGING);
      first = client.send(API, reader.signal).finally(() => (answered = true));
    };
    const until = (state: string): Promise<void> =>
      expectEventually(async () => (await client.states()).join() === state);
    const goOn = (): void => stage.wire.passAnswers();

    /**
     * The process is held for a short time only: a statement fails after ten seconds, and a start may take that long.
     */
    const beginAndStop = async (): Promise<void> => {
      await begin(goods);
      await until('charged');
      expect(answered).toBe(false);
    };

    beforeEach(beginAndStop);

    afterEach(async () => {
      goOn();
      await stage.expectPeace();
    });

    /** A repeated call gets the paid answer again, byte by byte. Its result exists once. */
    const expectSameAgain = async (place = OTHER): Promise<Answer> => {
      const again = await client.sendUntilAnswered(place);
      expect(again.headers['idempotent-replayed']).toBe('true');
      await client.expectPaidOnce();
      const { jobId } = again.body as { readonly jobId?: string };
      if (jobId !== undefined) await expectMade(jobId);
      return again;
    };
    const expectMade = async (jobId: string): Promise<void> => {
      await expectEventually(async () => {
        await stage.deployment.endLeases();
        const [job] = await stage.deployment.db.rows<{ status: string }>(
          'select status from job where id = $1',
          [jobId],
        );
        return job?.status === 'done';
      });
      expect(await stage.deployment.db.rows('select from media where job_id = $1', [jobId])).toHaveLength(1);
    };
    const expectAnswered = async (place = OTHER): Promise<void> => {
      const answer = await first;
      expect([answer?.status, answer?.headers['idempotent-replayed']]).toEqual([200, undefined]);
      expect((await expectSameAgain(place)).body).toEqual(answer?.body);
    };

    testStep(8, {
      a: {
        'who heard nothing hears it from another': async () => {
          await stage.deployment.kill(API);
          expect(await first).toBeUndefined();
          await expectSameAgain();
        },
      },
      c: {
        'all of it is said before the process goes': async () => {
          const gone = stage.deployment.replace(API);
          goOn();
          await expectAnswered();
          await gone;
        },
      },
      d: {
        'another says it meanwhile, and the one who wakes up says the same': async () => {
          await stage.deployment.pause(API);
          await stage.deployment.endLeases();
          const again = await client.sendUntilAnswered(OTHER);
          goOn();
          expect(answered).toBe(false);
          await stage.deployment.resume(API);
          expect(again.headers['idempotent-replayed']).toBe('true');
          expect((await first)?.body).toEqual(again.body);
          await expectAnswered();
        },
      },
      g: {
        'what was paid is still known, and said': async () => {
          stage.wire.loseAnswers();
          await stage.crashDatabase();
          expect((await first)?.status).toBe(503);
          await expectSameAgain();
        },
      },
      j: {
        'it is said, and what was paid is made when the queue is back': async () => {
          await stage.hands.takeQueueAway();
          goOn();
          await first;
          await stage.hands.restoreQueue();
          await expectAnswered();
        },
      },
      w: {
        'who hung up is told when he comes again': async () => {
          reader.abort();
          expect(await first).toBeUndefined();
          goOn();
          await expectSameAgain(API);
        },
      },
      x: {
        'all are told the same': async () => {
          const others = await Promise.all([API, OTHER, API, OTHER].map((place) => client.send(place)));
          expect(others.map((answer) => answer?.headers['idempotent-replayed'])).toEqual(
            others.map(() => 'true'),
          );
          goOn();
          await expectAnswered();
        },
      },
      y: {
        'it buys nothing': async () => {
          await client.expectOtherBodyRefused(OTHER);
          goOn();
          await expectAnswered();
        },
      },
      z: {
        'it is told the same': async () => {
          goOn();
          await expectAnswered();
          await expectAnswered(API);
        },
      },
      aa: {
        'it is told, and can be told again for as long as was promised': async () => {
          goOn();
          await first;
          await begin(goods === TEXT ? SLOW : goods);
          await until('held');
          await stage.deployment.jumpClock(API);
          await until('charged');
          goOn();
          try {
            await expectAnswered();
          } finally {
            await stage.deployment.kill(API); // Its clock does not return to the right time.
          }
        },
      },
      ab: {
        'nobody notices': async () => {
          goOn();
          await first;
          await stage.deployment.joinAndLeave(API, async () => {
            await beginAndStop();
            await expectSameAgain();
            goOn();
            await expectAnswered();
          });
          await expectAnswered(API);
        },
      },
      ac: {
        'it is told': async () => {
          await stage.overload(API, async () => {
            goOn();
            await first;
          });
          await expectAnswered();
        },
      },
      ad: {
        'it is told, and can be told again afterwards': async () => {
          const migration = stage.hands.migrate(['charge', 'replay', 'job', 'x402_payment']);
          goOn();
          await first;
          await migration;
          await expectAnswered();
        },
      },
    });
  });
});
