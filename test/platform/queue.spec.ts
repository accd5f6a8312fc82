import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import { BullModule, InjectQueue, Processor, WorkerHost, getQueueToken } from '@nestjs/bullmq';
import { ConsoleLogger, Inject, Injectable, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import type { Job, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Client } from 'pg';

import { type Settings, readSettings } from '../../src/settings';
import { SettingsModule } from '#platform/config/settings.module';
import { QueuePool } from '#platform/queue/queue-pool';
import { QueueHealth } from '#platform/queue/queue-health';
import { QueueModule } from '#platform/queue/queue.module';
import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { Queues } from '#platform/queue/queues';
import { SCHEDULE, Schedule } from '#platform/queue/schedule';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import { OwnRedis } from '../support/redis-server';
import { closedPort } from '../support/closed-port';

const ODD_JOBS = 'odd-jobs';

/** The work of the processors of all instances, in order. */
class Journal {
  readonly done: string[] = [];
  readonly often: number[] = [];
  readonly attempts = new Map<string, number>();
  endless = 0;
  goOn = (): void => undefined;
  readonly end = new Promise<void>((resolve) => (this.goOn = resolve));
}

@Processor(ODD_JOBS, { lockDuration: 1_000, stalledInterval: 200 })
class OddJobs extends WorkerHost {
  constructor(@Inject(Journal) private readonly journal: Journal) {
    super();
  }

  override async process({ name, data }: Job<{ failures?: number }>): Promise<void> {
    const attempt = (this.journal.attempts.get(name) ?? 0) + 1;
    this.journal.attempts.set(name, attempt);
    if (attempt <= (data.failures ?? 0)) throw new Error('not yet');
    this.journal.done.push(name);
  }
}

@Injectable()
class Often extends ScheduledProcessor {
  readonly name = 'often';
  readonly everyMs = 500;

  constructor(@Inject(Journal) private readonly journal: Journal) {
    super();
  }

  async run(): Promise<void> {
    this.journal.often.push(Date.now());
  }
}

@Injectable()
class Failing extends ScheduledProcessor {
  readonly name = 'failing';
  readonly everyMs = 2_000;

  run(): Promise<void> {
    return Promise.reject(new Error('nothing is there'));
  }
}

@Injectable()
class Endless extends ScheduledProcessor {
  readonly name = 'endless';
  readonly everyMs = 1_000;

  constructor(@Inject(Journal) private readonly journal: Journal) {
    super();
  }

  async run(): Promise<void> {
    this.journal.endless += 1;
    await this.journal.end;
  }
}

@Injectable()
class Producer {
  constructor(@InjectQueue(ODD_JOBS) readonly queue: Queue) {}
}

interface Backend {
  readonly name: string;
  readonly settings: (role: Settings['role']) => Promise<Settings>;
  readonly wipe: () => Promise<void>;
  /** Code that makes `backend` and `connection` for a worker in a process of its own. */
  readonly bareWorker: () => string;
}

const SECRET = { SIGNING_SECRET: 'a secret of thirty-two characters' };
let databaseUrl = '';

const postgres: Backend = {
  name: 'Postgres',
  settings: async (role) => {
    databaseUrl ||= await cloneDatabase();
    return { ...readSettings({ ...SECRET, ROLE: role }), databaseUrl };
  },
  wipe: async () => {
    const client = new Client({ connectionString: databaseUrl });
    await client.connect();
    await client.query(`do $$ declare name text; begin
      for name in select tablename from pg_tables where schemaname = 'bullmq' and tablename <> 'migration' loop
        execute format('truncate bullmq.%I cascade', name);
      end loop; end $$`);
    await client.end();
  },
  bareWorker: () => `const backend = bullmq.createPostgresBackend;
    const connection = { connectionString: ${JSON.stringify(databaseUrl)}, schema: 'bullmq' };`,
};

const redisUrl = process.env['TEST_REDIS_URL'];

const redis: Backend = {
  name: 'Redis',
  settings: (role) => Promise.resolve(readSettings({ ...SECRET, ROLE: role, REDIS_URL: redisUrl })),
  wipe: async () => {
    const client = new Redis(redisUrl ?? '');
    await client.flushdb();
    client.disconnect();
  },
  bareWorker: () => `const backend = bullmq.createRedisBackend;
    const connection = { url: ${JSON.stringify(redisUrl)}, maxRetriesPerRequest: null };`,
};

const build = (settings: Settings, journal: Journal): Promise<TestingModule> =>
  Test.createTestingModule({
    imports: [SettingsModule.with(settings), QueueModule, QueueModule.queue(ODD_JOBS)],
    providers: [{ provide: Journal, useValue: journal }, OddJobs, Often, Failing, Endless, Producer],
  })
    .setLogger(new ConsoleLogger({ logLevels: [] }))
    .compile();

describe.each(redisUrl === undefined ? [postgres] : [postgres, redis])('queues on $name', (backend) => {
  let journal: Journal;
  let instances: TestingModule[];

  const start = async (role: Settings['role'] = 'all'): Promise<TestingModule> => {
    const module = await build(await backend.settings(role), journal);
    instances.push(module);
    return module.init();
  };

  beforeEach(async () => {
    journal = new Journal();
    instances = [];
    await backend.settings('all');
    await backend.wipe();
  });

  afterEach(async () => {
    journal.goOn();
    await Promise.all(instances.map((instance) => instance.close()));
  });

  it('runs a delayed job when its time has come, and not before', async () => {
    const { queue } = (await start()).get(Producer);
    const added = Date.now();

    await queue.add('later', {}, { delay: 300 });

    await expectEventually(() => journal.done.includes('later'));
    expect(Date.now() - added).toBeGreaterThanOrEqual(290);
  });

  it('tries a job again when it fails', async () => {
    const { queue } = (await start()).get(Producer);

    await queue.add('stubborn', { failures: 2 }, { attempts: 3, backoff: { type: 'fixed', delay: 10 } });

    await expectEventually(() => journal.done.includes('stubborn'));
    expect(journal.attempts.get('stubborn')).toBe(3);
  });

  it('adds a job with the same id once', async () => {
    const { queue } = (await start('api')).get(Producer);

    await Promise.all([1, 2, 3].map(() => queue.add('same', {}, { jobId: 'job_1' })));

    expect(await queue.getJobCountByTypes('waiting')).toBe(1);
  });

  it('runs what is regular once for all instances together', async () => {
    await Promise.all([start(), start()]);

    await expectEventually(() => journal.often.length >= 17);

    // Two schedules would need half of this time.
    expect(journal.often[16]! - journal.often[8]!).toBeGreaterThan(3_000);
  });

  it('lets what hangs hold up nothing else, and does not begin it twice', async () => {
    await start();

    await expectEventually(() => journal.often.length >= 9);

    expect(journal.endless).toBe(1);
  });

  it('waits for what runs when it is stopped', async () => {
    const instance = await start();
    await expectEventually(() => journal.endless === 1);

    const closing = instance.close().then(() => 'stopped');

    expect(await Promise.race([closing, pause(1_000, 'still at work')])).toBe('still at work');
    journal.goOn();
    expect(await closing).toBe('stopped');
    expect(journal.endless).toBe(1);
  });

  it('shows operators what failed, and why', async () => {
    const health = (await start()).get(QueueHealth);

    await expectEventually(async () => (await health.failures()).length > 0);

    expect(await health.failures()).toMatchObject([
      { queue: SCHEDULE, job: 'failing', reason: 'nothing is there' },
    ]);
  });

  it('plans its work again after a restart when the queue was wiped', async () => {
    const before = await start();
    await expectEventually(() => journal.often.length >= 2);
    journal.goOn();
    await before.close();
    await backend.wipe();
    journal.often.length = 0;

    await start();

    await expectEventually(() => journal.often.length >= 2);
  });

  it('plans its work again when the queue was wiped under it', async () => {
    const instance = await start();
    await expectEventually(() => journal.often.length >= 2);
    await backend.wipe();
    journal.often.length = 0;

    await instance.get(Schedule).plan();

    await expectEventually(() => journal.often.length >= 2);
  });

  it('plans its work again when a process with a clock that was ahead has put it off', async () => {
    const instance = await start();
    const queue = instance.get<Queue>(getQueueToken(SCHEDULE));
    const { now } = Date;
    const ahead = jest.spyOn(Date, 'now').mockImplementation(() => now() + 600_000);
    await expectEventually(async () => ((await queue.getJobScheduler('often'))?.next ?? 0) > now() + 300_000);
    ahead.mockRestore();
    journal.often.length = 0;

    await instance.get(Schedule).plan();

    await expectEventually(() => journal.often.length >= 2);
  });

  it('works on nothing in a process that only answers calls', async () => {
    const instance = await start('api');
    await instance.get(Producer).queue.add('for others', {});

    const depths = await instance.get(QueueHealth).depths();

    expect(depths).toEqual({
      [ODD_JOBS]: { waiting: 1, active: 0, delayed: 0, failed: 0 },
      [SCHEDULE]: { waiting: 0, active: 0, delayed: 0, failed: 0 },
    });
    expect(await instance.get(QueueHealth).state()).toBe('ok');
  });

  it('runs a job again when its worker was killed', async () => {
    const { queue } = (await start('api')).get(Producer);
    await queue.add('survivor', {});
    await killAWorkerAtWork(backend);

    await start('worker');

    await expectEventually(() => journal.done.includes('survivor'));
  });
});

it('names each scheduled job, and forgets those that this version does not have', async () => {
  const journal = new Journal();
  journal.goOn();
  const module = await build(await postgres.settings('all'), journal);
  const queue = module.get<Queue>(getQueueToken(SCHEDULE));
  await queue.upsertJobScheduler('of an older version', { every: 60_000 });
  await module.init();

  const planned = async () => (await queue.getJobSchedulers()).map(({ key }) => key).sort();

  await expectEventually(async () => !(await planned()).includes('of an older version'));
  expect(await planned()).toEqual(['endless', 'failing', 'often']);
  await module.close();
});

@Injectable()
class Duplicate extends ScheduledProcessor {
  readonly name = 'failing';
  readonly everyMs = 1_000;

  run(): Promise<void> {
    return Promise.resolve();
  }
}

@Injectable()
class Nameless extends Duplicate {
  override readonly name = '' as never;
}

@Processor(ODD_JOBS)
class OtherOddJobs extends WorkerHost {
  override process(): Promise<void> {
    return Promise.resolve();
  }
}

it.each([
  [
    'two scheduled processors have one name',
    [Failing, Duplicate],
    /Failing and Duplicate have one name, "failing"/,
  ],
  ['a scheduled processor has no name', [Nameless], /Nameless has no name/],
  [
    'two processors share a queue',
    [OddJobs, OtherOddJobs],
    /OddJobs and OtherOddJobs both process the queue/,
  ],
])('does not start when %s', async (_, providers, message) => {
  const module = await Test.createTestingModule({
    imports: [SettingsModule.with(await postgres.settings('all')), QueueModule, QueueModule.queue(ODD_JOBS)],
    providers: [{ provide: Journal, useValue: new Journal() }, ...providers],
  })
    .setLogger(new ConsoleLogger({ logLevels: [] }))
    .compile();

  await expect(module.init()).rejects.toThrow(message);

  // Nest closes no module whose start failed. Workers that keep connections would log their end after the test.
  await module.get(Queues).beforeApplicationShutdown();
  await module.get(QueuePool, { strict: false }).onApplicationShutdown();
});

describe('a queue that a module registered before ours was loaded', () => {
  it('lives on the same backend', async () => {
    const settings = await postgres.settings('all');
    @Module({ imports: [BullModule.registerQueue({ name: 'early' })], exports: [BullModule] })
    class EarlyModule {}
    const module = await Test.createTestingModule({
      imports: [EarlyModule, SettingsModule.with(settings), QueueModule],
    })
      .setLogger(new ConsoleLogger({ logLevels: [] }))
      .compile();
    await module.init();

    await module.get<Queue>(getQueueToken('early'), { strict: false }).add('one', {});

    expect((await module.get(QueueHealth).depths())['early']).toMatchObject({ waiting: 1 });
    await module.close();
  });
});

it('starts while no feature has a queue', async () => {
  const settings = await postgres.settings('all');
  const module = await Test.createTestingModule({ imports: [SettingsModule.with(settings), QueueModule] })
    .setLogger(new ConsoleLogger({ logLevels: [] }))
    .compile();
  await module.init();

  expect(await module.get(QueueHealth).state()).toBe('ok');

  await module.close();
});

it('has one connection for the notifications of each worker, and few for all statements', async () => {
  const settings = { ...(await postgres.settings('all')), databaseUrl: await cloneDatabase() };
  const sql = new Client({ connectionString: settings.databaseUrl });
  await sql.connect();
  const journal = new Journal();
  journal.goOn();
  const module = await build(settings, journal);
  await module.init();
  const countsOf = async (): Promise<Record<string, number>> => {
    const { rows } = await sql.query(
      `select application_name as name, count(*)::int as n from pg_stat_activity
       where datname = current_database() group by 1`,
    );
    return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
  };
  const { queue } = module.get(Producer);
  await Promise.all(Array.from({ length: 40 }, (_, index) => queue.add(`shares ${index}`, {})));

  await expectEventually(async () => (await countsOf())[ODD_JOBS] === 1);
  const counts = await countsOf();
  expect(counts[SCHEDULE]).toBe(1);
  expect(counts['lamppost queue']).toBeLessThanOrEqual(6);
  // A worker that listens on a connection of the pool would keep it for ever.
  const { pool } = module.get(QueuePool, { strict: false });
  await expectEventually(() => pool.totalCount > 0 && pool.idleCount === pool.totalCount);
  await module.close();
  await expectEventually(async () => Object.keys(await countsOf()).length === 1);
  await sql.end();
});

it('notices a connection that is lost while BullMQ has it out of the pool', async () => {
  const { pool } = new QueuePool(await postgres.settings('all'));
  const client = await pool.connect();

  const lose = (): boolean => client.emit('error', new Error('read ECONNRESET'));

  expect(lose).not.toThrow();
  client.release(true);
  await pool.end();
});

describe('queues that cannot be reached', () => {
  it.each([
    ['Postgres', (port: number) => ({ databaseUrl: `postgres://lamppost@127.0.0.1:${port}/none` })],
    ['Redis', (port: number) => ({ redisUrl: `redis://127.0.0.1:${port}` })],
  ])('are reported as down on %s', async (_, at) => {
    const settings = { ...readSettings({ ...SECRET, ROLE: 'api' }), ...at(await closedPort()) };
    const module = await build(settings, new Journal());
    await module.init();

    expect(await module.get(QueueHealth).state()).toBe('down');

    await module.close();
  });
});

it('asks a backend that fails calmly, and goes on when it works again', async () => {
  const journal = new Journal();
  const module = await build(await postgres.settings('all'), journal);
  await module.init();
  const { queue } = module.get(Producer);
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  let errors = 0;
  module.get(OddJobs).worker.on('error', () => (errors += 1));
  await queue.add('before', {});
  await expectEventually(() => journal.done.includes('before'));

  await sql.query('alter schema bullmq rename to away');
  await pause(1_500);
  await sql.query('alter schema away rename to bullmq');

  await queue.add('after', {});
  await expectEventually(() => journal.done.includes('after'));
  expect(errors).toBeGreaterThan(0);
  expect(errors).toBeLessThan(20); // An endless loop would cause thousands.
  await sql.end();
  journal.goOn();
  await module.close();
});

it('works after a start at which its backend failed', async () => {
  const journal = new Journal();
  const settings = await postgres.settings('all');
  const sql = new Client({ connectionString: databaseUrl });
  await sql.connect();
  await sql.query('alter schema bullmq rename to away');
  const module = await build(settings, journal);
  await module.init();
  let errors = 0;
  module.get(OddJobs).worker.on('error', () => (errors += 1));
  await expectEventually(() => errors > 0);
  expect(journal.often).toEqual([]);

  await sql.query('alter schema away rename to bullmq');

  await module.get(Producer).queue.add('after', {});
  await expectEventually(() => journal.done.includes('after') && journal.often.length > 1);
  await sql.end();
  journal.goOn();
  await module.close();
});

const onlyWithRedis = redisUrl === undefined ? it.skip : it;

onlyWithRedis('stops at once, without an error, when Redis has gone', async () => {
  const own = await OwnRedis.start();
  const settings = readSettings({ ...SECRET, ROLE: 'all', REDIS_URL: own.url });
  const journal = new Journal();
  const module = await build(settings, journal);
  await module.init();
  await expectEventually(() => journal.often.length >= 2);
  await own.stop();
  journal.goOn();

  const closing = module.close().then(() => 'stopped');

  // BullMQ alone would wait for Redis to come back.
  expect(await Promise.race([closing, pause(10_000, 'still waiting')])).toBe('stopped');
});

/** Takes the one job in another process, and kills that process while it is at work. */
const killAWorkerAtWork = async (backend: Backend): Promise<void> => {
  const code = `const bullmq = require('bullmq'); ${backend.bareWorker()}
    const endless = () => { process.stdout.write('at work'); return new Promise(() => undefined); };
    const options = { connection, prefix: 'lamppost', lockDuration: 1000, stalledInterval: 200 };
    new bullmq.Worker('${ODD_JOBS}', endless, options, backend).on('error', () => undefined);`;
  const worker = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(worker.stdout, 'data');
  worker.kill('SIGKILL');
  await once(worker, 'exit');
};
