import { DueJobsRepository } from '#work/jobs/due-jobs.repository';
import { JobRepository } from '#work/jobs/job.repository';
import { DatabaseUnavailable } from '#platform/database/database.errors';
import { WalletCaller } from '../support/caller';
import { catalogOf, filmEntry } from '../support/catalogs';
import { shortenDeadlines } from '../support/deadlines';
import { expectEventually } from '../support/eventually';
import { FakeFal } from '../support/fake-fal';
import { type Answer, World } from '../support/world';

/** The first poll begins early enough that its own timeout ends after the deadline. */
const DEADLINE_SECONDS = 20;
const DECIDED_SECONDS_MAX = 5;
/** More jobs than concurrent polls of one vendor. */
const FILMS = 120;
/** The waiting copies of one owner are limited, so only several owners together can fill the slots of a vendor. */
const CROWD = 3;
/** The concurrent copies of results, for all owners of the crowd. */
const COPIES = CROWD * 4;
const FUNDS = 1_000_000_000n;

describe('looks at jobs', () => {
  let world: World;
  let fal: FakeFal;

  beforeAll(async () => {
    fal = await FakeFal.start();
    fal.words = ['completed'];
    world = await World.start({
      ...fal.env,
      ALLOW_SANDBOX_MIX: 'true',
      ...catalogOf([filmEntry('film-f', ['fal:fal-ai/film'])], []),
      FETCH_ALLOW_HOSTS: fal.host,
      MEDIA_SYNC_SECONDS: '1',
    });
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await fal.stop();
  });

  const film = async (caller: WalletCaller): Promise<Answer> =>
    world.post(
      '/v1/agent/generate',
      { prompt: 'a quiet street', modelId: 'film-f', duration: 4 },
      { 'sign-in-with-x': await caller.signIn(world), prefer: 'respond-async' },
    );

  it('of owners whose results hang in the copy hold up no other owner at the same vendor', async () => {
    const crowd = Array.from({ length: CROWD }, () => new WalletCaller());
    const other = new WalletCaller();
    for (const caller of [...crowd, other]) await caller.fund(world, FUNDS);
    fal.drips = COPIES;
    // The calls are made in small groups and repeated after a 503, because a busy machine answers 120 concurrent calls
    // too late.
    for (let made = 0; made < FILMS;) {
      const films = await Promise.all(Array.from({ length: 15 }, (_, at) => film(crowd[at % CROWD]!)));
      const statuses = films.map(({ status }) => status);
      expect(statuses.filter((status) => status !== 503)).toEqual(
        statuses.filter((status) => status === 200),
      );
      made += statuses.filter((status) => status === 200).length;
    }
    await expectEventually(() => fal.dripping === COPIES);
    // Each job has been polled once.
    await expectEventually(
      async () => (await world.db.rows('select from job where poll_at <= now()')).length === 0,
    );

    const { body } = await film(other);
    await expectEventually(
      async () => (await world.get(`/v1/agent/jobs/${body.jobId}`)).body.status === 'done',
    );

    expect(fal.dripping).toBe(COPIES); // No copy has ended or timed out.
    fal.endDrips();
    await expectEventually(
      async () => (await world.db.rows(`select from job where status = 'running'`)).length === 0,
    );
  });

  it('take a job again within 15 seconds when the process that copies its result dies', async () => {
    const caller = await new WalletCaller().fund(world, FUNDS);
    fal.drips = 1;

    await film(caller);
    await expectEventually(() => fal.dripping === 1);

    const [row] = await world.db.rows<{ seconds: number }>(
      `select extract(epoch from poll_at - now())::float8 as seconds from job where status = 'running'`,
    );
    expect(row!.seconds).toBeLessThanOrEqual(15);
    fal.endDrips();
    await expectEventually(
      async () => (await world.db.rows(`select from job where status = 'running'`)).length === 0,
    );
  });

  it('take a job again at once when the database is back', async () => {
    const jobs = world.app.get(JobRepository, { strict: false });
    const dueJobs = world.app.get(DueJobsRepository, { strict: false });
    const [done, pollLater] = [jobs.done.bind(jobs), dueJobs.pollLater.bind(dueJobs)];
    let refused = 0;
    const away = (): Promise<never> => {
      refused += 1;
      return Promise.reject(new DatabaseUnavailable(new Error('The database is away.')));
    };
    jobs.done = away;
    dueJobs.pollLater = away;
    const caller = await new WalletCaller().fund(world, FUNDS);

    const { body } = await film(caller);
    await expectEventually(() => refused >= 2); // The result could not be stored, and neither could the next poll.
    const back = performance.now();
    jobs.done = done;
    dueJobs.pollLater = pollLater;

    await expectEventually(
      async () => (await world.get(`/v1/agent/jobs/${body.jobId}`)).body.status === 'done',
    );
    expect(performance.now() - back).toBeLessThan(10_000); // The lease would have lasted 15 seconds at least.
  });

  it('end within five seconds of the deadline, after odd answers and though a look that began before it hangs', async () => {
    await shortenDeadlines(world, DEADLINE_SECONDS);
    const busy = { says: { status: 429, json: {}, headers: { 'retry-after': '30' } } };
    const wrongType = { says: { json: { status: 7 } } };
    fal.failNext(
      'status',
      busy,
      529,
      'garbage',
      wrongType,
      'reset',
      busy,
      529,
      'garbage',
      wrongType,
      'reset',
    );
    fal.failNext('status', ...Array.from({ length: 500 }, () => 'hang' as const));
    const caller = await new WalletCaller().fund(world, FUNDS);

    const answers = await Promise.all(Array.from({ length: 5 }, () => film(caller)));

    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await expectEventually(
      async () => (await world.db.rows(`select from job where status = 'running'`)).length === 0,
    );
    const { seconds } = (await world.db.one<{ seconds: number }>(
      `select max(extract(epoch from finished_at - created_at))::float8 as seconds from job where owner = $1`,
      [caller.wallet.toLowerCase()],
    ))!;
    expect(seconds).toBeLessThan(DEADLINE_SECONDS + DECIDED_SECONDS_MAX);
    expect(seconds).toBeGreaterThan(DEADLINE_SECONDS - 1);
  });
});
