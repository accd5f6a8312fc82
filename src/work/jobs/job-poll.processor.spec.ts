import type { ProviderName } from '#models/providers/provider-name';
import { Providers } from '#models/providers/providers';
import type { Job } from './job.entity';
import type { JobPoller } from './job-poller';
import { JobPollProcessor } from './job-poll.processor';
import type { DueJobsRepository } from './due-jobs.repository';

const NOBODY = '';

const PROVIDERS = new Providers(
  new Map([
    ['fal', {}],
    ['replicate', {}],
  ]),
);

const jobsOf = (provider: ProviderName, count: number): Job[] =>
  Array.from({ length: count }, (_, n) => ({ id: `${provider}-${n}`, provider }) as unknown as Job);

/** Due jobs by provider, and a poller whose polls of one provider never end. */
const made = (due: Partial<Record<ProviderName, Job[]>>, hanging: ProviderName, overdue: Job[] = []) => {
  const polled: string[] = [];
  const jobs = {
    due: () =>
      Promise.resolve([
        ...Object.entries(due).flatMap(([provider, jobs = []]) =>
          jobs.length === 0 ? [] : [{ provider: provider === NOBODY ? undefined : provider, overdue: false }],
        ),
        ...overdue.slice(0, 1).map(({ provider }) => ({ provider, overdue: true })),
      ]),
    takeDue: (provider: ProviderName, limit: number) =>
      Promise.resolve((due[provider] ?? []).splice(0, limit)),
    takeDueWithoutProvider: (_known: unknown, limit: number) =>
      Promise.resolve((due[NOBODY] ?? []).splice(0, limit)),
    takeOverdue: (_ours: unknown, limit: number) => Promise.resolve(overdue.splice(0, limit)),
  } as unknown as DueJobsRepository;
  const poller = {
    poll: (job: Job) => {
      polled.push(job.id);
      return job.provider === hanging ? new Promise<void>(() => undefined) : Promise.resolve();
    },
  } as unknown as JobPoller;
  return { processor: new JobPollProcessor(jobs, poller, PROVIDERS), polled };
};

const countOf = (polled: readonly string[], provider: ProviderName): number =>
  polled.filter((id) => id.startsWith(`${provider}-`)).length;

describe('polling', () => {
  it('goes on at all other providers while one of them hangs', async () => {
    const { processor, polled } = made(
      { fal: jobsOf('fal', 500), replicate: jobsOf('replicate', 500), [NOBODY]: jobsOf(NOBODY, 3) },
      'fal',
    );

    await processor.run();

    expect(countOf(polled, 'replicate')).toBe(500);
    expect(countOf(polled, NOBODY)).toBe(3);
    expect(countOf(polled, 'fal')).toBe(100);
  });

  it('decides those whose time is up, however many of their provider hang in front of them', async () => {
    const late = jobsOf('fal', 700).map(
      (job, n) => ({ ...job, id: `late-${n}`, provider: 'replicate' }) as Job,
    );
    const { processor, polled } = made({ fal: jobsOf('fal', 500) }, 'fal', late);

    await processor.run();

    expect(polled.filter((id) => id.startsWith('late-'))).toHaveLength(700);
  });

  it('looks at none twice while a look at it lasts, and at no more of those that hang', async () => {
    const { processor, polled } = made({ fal: jobsOf('fal', 150) }, 'fal');

    await processor.run();
    await processor.run();

    expect(countOf(polled, 'fal')).toBe(100);
    expect(new Set(polled).size).toBe(polled.length);
  });
});
