import { useEffect, useState } from 'preact/hooks';

import { type Schemas, call } from './api.ts';
import { ago, money, time } from './format.ts';
import { Medium, ownAddress } from './medium.tsx';
import { balanceChanged } from './shell.tsx';
import { Badge, Empty, Loading, Problem } from './ui.tsx';
import { useLoaded } from './use.ts';

export type Job = Schemas['JobAnswer'];
type Listed = Schemas['ListedJob'];

const POLL_MS = 1_000;

const MONEY_WORDS: Readonly<Record<string, string>> = {
  refunded: 'What it cost was given back.',
  released: 'Nothing was charged.',
  none: 'Nothing was charged.',
};

/** A failed job is over when its money is back, which takes a sweep longer. */
const isOver = ({ status, chargeState }: Job): boolean =>
  status === 'done' || (status === 'failed' && chargeState in MONEY_WORDS);

/** Follows a job until it is over. A poll that fails says nothing about the job: the next one asks again. */
export const useJob = (
  id: string | null,
): { readonly job: Job | undefined; readonly error: Error | undefined } => {
  const [job, setJob] = useState<Job>();
  const [error, setError] = useState<Error>();
  useEffect(() => {
    setJob(undefined);
    setError(undefined);
    if (id === null) return undefined;
    const stop = new AbortController();
    let timer = 0;
    const look = async (): Promise<void> => {
      try {
        const found = await call('get', '/v1/agent/jobs/{id}', { at: { id }, signal: stop.signal });
        setJob(found);
        setError(undefined);
        if (found.status !== 'running') balanceChanged();
        if (isOver(found)) return;
      } catch (failure) {
        if (stop.signal.aborted) return;
        setError(failure as Error);
      }
      timer = setTimeout(() => void look(), POLL_MS);
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [id]);
  return { job, error };
};

/** What becomes of a job, as it does. */
export const JobView = ({
  job,
  priceMicro,
  prompt,
}: {
  readonly job: Job;
  readonly priceMicro: number | undefined;
  readonly prompt: string | undefined;
}) => {
  const { status, kind, url, error, progress = 0, chargeState, modelId } = job;
  return (
    <figure class="stack result">
      <div role="status" class="unseen">
        {status === 'running' ? 'It is being made.' : status === 'done' ? 'It is ready.' : 'It failed.'}
      </div>
      {status === 'running' ? (
        <div class="making">
          <p class="strong">Being made: {progress} %</p>
          <progress max={100} value={progress} aria-label="Progress" />
        </div>
      ) : null}
      {status === 'failed' ? (
        <p class="notice bad">
          {error ?? 'It failed.'} {MONEY_WORDS[chargeState] ?? 'What it cost is on its way back.'}
        </p>
      ) : null}
      {status === 'done' && url === undefined ? (
        <p class="notice">Its time was up, and it is no longer kept.</p>
      ) : null}
      {status === 'done' && url !== undefined ? (
        <Medium kind={kind} url={url} alt={prompt ?? `What ${modelId} made`} />
      ) : null}
      <figcaption class="row apart">
        <span class="soft">
          {modelId}, {time(job.createdAt)}
          {priceMicro === undefined || status === 'failed' ? '' : `, ${money(priceMicro)}`}
        </span>
        {url === undefined ? null : (
          <a class="button small" href={ownAddress(url)} download>
            Download
          </a>
        )}
      </figcaption>
    </figure>
  );
};

const TONES = { running: 'busy', done: 'good', failed: 'bad' } as const;

const Past = ({ job, onOpen }: { readonly job: Listed; readonly onOpen: () => void }) => (
  <li>
    <button type="button" class="thumb" onClick={onOpen}>
      {job.url === undefined ? (
        <span class="medium blank">
          <Badge tone={TONES[job.status]}>{job.status}</Badge>
        </span>
      ) : (
        <Medium kind={job.kind} url={job.url} alt={`What ${job.modelId} made`} small />
      )}
      <span>{job.modelId}</span>
      <span class="hint">{ago(job.createdAt)}</span>
    </button>
  </li>
);

/** What the account has made before. Prompts are not kept by the service, and so not shown. */
export const History = ({
  kind,
  turn,
  onOpen,
}: {
  readonly kind: 'image' | 'video';
  readonly turn: unknown;
  readonly onOpen: (id: string) => void;
}) => {
  const { data, error } = useLoaded(
    (signal) => call('get', '/v1/account/jobs', { query: { limit: 100 }, signal }),
    [turn],
  );
  const jobs = data?.jobs.filter((job) => job.kind === kind);
  return (
    <section class="card stack" aria-labelledby="history">
      <h2 id="history">Made before</h2>
      <Problem error={error} />
      {jobs === undefined ? error === undefined && <Loading /> : null}
      {jobs?.length === 0 ? (
        <Empty title={`No ${kind}s yet`}>
          <p>What you and your keys make is kept here for a while.</p>
        </Empty>
      ) : null}
      <ul class="plain thumbs">
        {jobs?.map((job) => (
          <Past key={job.id} job={job} onOpen={() => onOpen(job.id)} />
        ))}
      </ul>
    </section>
  );
};
