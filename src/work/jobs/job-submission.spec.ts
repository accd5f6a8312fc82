import { Logger } from '@nestjs/common';
import { Registry } from 'prom-client';

import type { MediaModel } from '#models/catalog/catalog-models';
import type { Providers } from '#models/providers/providers';
import { Failover } from '#models/providers/routing/failover';
import { RouteRecords } from '#models/providers/routing/route-records';
import type { Database } from '#platform/database/database';
import { ProvidersMetrics } from '#models/providers/providers.metrics';
import { JobSubmission, type SoldJob, type SubmittedMedia } from './job-submission';
import type { JobRepository } from './job.repository';

const modelOn = (...providers: string[]): MediaModel =>
  ({ routes: providers.map((provider) => ({ provider, model: 'm' })) }) as unknown as MediaModel;
const MEDIA: SubmittedMedia = { mode: 't2i', audio: false, prompt: 'a red fox' };

/** Providers that accept everything, and jobs that end when a test says so. */
class Submissions {
  readonly taken: string[] = [];
  ended = { beforeRequest: false, beforeAccepted: false };

  private readonly submission = new JobSubmission(
    {
      open: () => Promise.resolve(!this.ended.beforeRequest),
      accepted: () => Promise.resolve(!this.ended.beforeAccepted),
      failed: () => Promise.resolve(false),
    } as unknown as JobRepository,
    {
      media: (name: string) => ({
        pollMs: 1,
        submit: () => Promise.resolve({ providerRef: `${name}_${this.taken.push(name)}` }),
        cancel: () => Promise.resolve(),
      }),
    } as unknown as Providers,
    new Failover(new RouteRecords({} as Database)),
    new ProvidersMetrics(new Registry()),
  );

  send(...providers: string[]): Promise<void> {
    const draft = { id: 'job_1', deadlineSeconds: 10 } as SoldJob;
    return this.submission.submit(draft, modelOn(...providers), MEDIA);
  }
}

describe('a job that is handed to a provider', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it.each([['beforeRequest'], ['beforeAccepted']] as const)(
    'blames no provider for having ended %s, and is handed to no other',
    async (moment) => {
      const submissions = new Submissions();
      submissions.ended[moment] = true;
      for (let times = 0; times < 3; times += 1) {
        await expect(submissions.send('first', 'second')).rejects.toMatchObject({
          code: 'PROVIDER_UNAVAILABLE',
        });
      }
      submissions.ended[moment] = false;
      const before = submissions.taken.length;

      await submissions.send('first', 'third');

      expect(submissions.taken.slice(before)).toEqual(['first']);
      expect(submissions.taken).not.toContain('second');
    },
  );
});
