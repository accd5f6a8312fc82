import type { Command } from './command.ts';
import { Misused } from './options.ts';
import { endProgress, showProgress } from './progress.ts';
import { stopped } from './stop.ts';

export const jobs: Command = {
  usage: ['[--status S] [--tag T]', 'wait ID', 'cancel ID'],
  about: 'lists your jobs, newest first; waits for one; cancels one',
  more: '`wait` ends with 1 if the job has failed.',
  options: ['status', 'tag'],
  words: ['wait', 'cancel'],
  examples: ['--status running', 'wait job_…', 'cancel job_…'],
  run: async ({ client, words: [what, id], options }) => {
    if (what === 'cancel' && id !== undefined) {
      const text = `${id} is cancelled and refunded.`;
      return { json: await client.jobs.cancel(id), text };
    }
    if (what === 'wait' && id !== undefined) {
      const watch = { signal: stopped, onProgress: showProgress };
      const job = await client.jobs.wait(id, watch).finally(endProgress);
      const text = job.url ?? `${job.status}: ${job.error ?? ''}`;
      return { json: job, text, exitCode: job.status === 'done' ? 0 : 1 };
    }
    if (what !== undefined) throw new Misused('It is `jobs`, `jobs cancel ID` or `jobs wait ID`.');
    const status = options.status as 'running' | 'done' | 'failed' | undefined;
    const all = [];
    for await (const job of client.jobs.list({ status, tag: options.tag, signal: stopped })) all.push(job);
    const lines = all.map((job) => `${job.id}  ${job.status.padEnd(7)}  ${job.modelId}  ${job.createdAt}`);
    return { json: { jobs: all }, text: lines.join('\n') || 'No jobs.' };
  },
};
