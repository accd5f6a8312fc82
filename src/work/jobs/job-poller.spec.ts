import { setTimeout as pause } from 'node:timers/promises';

import { Logger } from '@nestjs/common';

import type { MediaProvider } from '#models/providers/media-provider';
import { Providers } from '#models/providers/providers';
import type { Job } from './job.entity';
import { JobPoller } from './job-poller';

const nothing = (): undefined => undefined;

/** A poller that notes the decisions and later polls of jobs, at a provider that fails after a time. */
const pollerAt = (failsAfterMs: number) => {
  const noted: string[] = [];
  const note = (what: string) => (_id: string, code: unknown) => {
    noted.push(`${what} ${String(code)}`);
    return Promise.resolve(true);
  };
  const status = async (): Promise<never> => {
    await pause(failsAfterMs);
    throw new Error('The provider answers nonsense.');
  };
  const providers = new Providers(
    new Map([['fal', { media: { name: 'fal', pollMs: 1_000, status } as unknown as MediaProvider }]]),
  );
  const parts = [
    { failed: note('failed'), find: nothing },
    { pollLater: (id: string) => note('later')(id, '') },
    { decideSoon: nothing },
    providers,
    { drop: nothing },
    {},
    {},
    { answered: nothing, failed: nothing },
    {},
    {},
    { detach: nothing },
  ];
  const poller = new JobPoller(...(parts as unknown as ConstructorParameters<typeof JobPoller>));
  return { poller, noted };
};

const jobWith = (leftMs: number): Job =>
  ({
    id: 'job_1',
    provider: 'fal',
    providerRef: 'ref',
    chargeState: 'held',
    overdue: false,
    leftMs,
    polls: 0,
  }) as unknown as Job;

describe('a poll that fails', () => {
  beforeAll(() => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation();
  });
  afterAll(() => jest.restoreAllMocks());

  it('decides the job if the deadline passed during the poll', async () => {
    const { poller, noted } = pollerAt(60);

    await poller.poll(jobWith(20));

    expect(noted).toEqual(['failed DEADLINE']);
  });

  it('leaves the job to a later poll before the deadline', async () => {
    const { poller, noted } = pollerAt(0);

    await poller.poll(jobWith(60_000));

    expect(noted).toEqual(['later ']);
  });
});
