import { useEffect } from 'preact/hooks';

import { Allowed } from '../parts/allowed.tsx';
import { type Schemas, addressOf, call, receiptOf } from '../parts/api.ts';
import { ago, money, time } from '../parts/format.ts';
import { follow, useReloadAfter } from '../parts/live-events.ts';
import { Medium, ownAddress } from './medium.tsx';
import { Badge, Empty, Loading, Problem } from '../parts/ui.tsx';
import { type Loaded, useAction, useLoaded } from '../parts/use.ts';

export type Job = Schemas['JobAnswer'];
type Listed = Schemas['OwnJob'];

const MONEY_WORDS: Readonly<Record<string, string>> = {
  refunded: 'Its price was refunded.',
  released: 'Nothing was charged.',
  none: 'Nothing was charged.',
};

/** Follows a job: its state, its result, and its refund if it failed. */
export const useJob = (id: string | null): Loaded<Job | undefined> => {
  const loaded = useLoaded(
    async (signal) => (id === null ? undefined : call('get', '/v1/agent/jobs/{id}', { at: { id }, signal })),
    [id],
  );
  const { data, reload, setData } = loaded;
  const running = data?.status === 'running';
  useEffect(() => setData(undefined), [id]);
  useEffect(() => {
    if (id === null || !running) return undefined;
    const address = addressOf('/v1/agent/jobs/{id}/events', { at: { id } });
    return follow(address, ['job.progress', 'job.done', 'job.failed'], (event) => {
      const progress = event?.data['progress'];
      if (event?.type === 'job.progress' && typeof progress === 'number')
        setData((job) => job && { ...job, progress });
      else if (event !== undefined) reload();
    });
  }, [id, running]);
  useReloadAfter(['job.done', 'job.failed', 'charge.refunded', 'charge.released'], () => {
    if (id !== null) reload();
  });
  return loaded;
};

/** The price of the job and its receipt. */
const Charged = ({ chargeId, state }: { readonly chargeId: string; readonly state: string }) => {
  const { data } = useLoaded((signal) => receiptOf(chargeId, signal), [chargeId, state]);
  return (
    <span class="soft">
      {data === undefined
        ? ''
        : data.state === 'charged'
          ? `Charged ${money(data.priceMicro)}. `
          : data.state === 'refunded'
            ? `${money(data.priceMicro)} refunded. `
            : ''}
      <a href={`account/billing?receipt=${encodeURIComponent(chargeId)}`}>Receipt</a>
    </span>
  );
};

/**
 * The button to cancel a job. This part stays visible after the job has ended: the button disappears, but the reason
 * for a late cancellation must stay readable.
 */
const Cancelling = ({
  id,
  offered,
  onDone,
}: {
  readonly id: string;
  readonly offered: boolean;
  readonly onDone: () => void;
}) => {
  const cancel = useAction(async () => {
    await call('post', '/v1/agent/jobs/{id}/cancel', { at: { id } }).finally(onDone);
  });
  return (
    <>
      {offered ? (
        <Allowed to="change /v1/agent">
          <button type="button" class="small" disabled={cancel.running} onClick={() => void cancel.run()}>
            {cancel.running ? 'Cancelling…' : 'Cancel and get a refund'}
          </button>
        </Allowed>
      ) : null}
      <Problem error={cancel.error} />
    </>
  );
};

/** The progress of a job, live. */
export const JobView = ({
  id,
  job,
  chargeId,
  prompt,
  onCancelled,
}: {
  readonly id: string;
  readonly job: Job;
  /** Undefined for an operator who looks at a job of another account. */
  readonly chargeId: string | undefined;
  readonly prompt: string | undefined;
  readonly onCancelled: () => void;
}) => {
  const { status, kind, url, error, progress = 0, chargeState, modelId, cancellable, errorCode } = job;
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
      <Cancelling
        key={id}
        id={id}
        offered={status === 'running' && cancellable && chargeId !== undefined}
        onDone={onCancelled}
      />
      {status === 'failed' ? (
        <p class={errorCode === 'CANCELLED' ? 'notice' : 'notice bad'}>
          {error ?? 'It failed.'} {MONEY_WORDS[chargeState] ?? 'The refund is on its way.'}
        </p>
      ) : null}
      {status === 'done' && url === undefined ? (
        <p class="notice">The result has expired and was deleted.</p>
      ) : null}
      {status === 'done' && url !== undefined ? (
        <Medium kind={kind} url={url} alt={prompt ?? `What ${modelId} made`} />
      ) : null}
      <figcaption class="row apart">
        <span class="soft">
          {modelId}, {time(job.createdAt)}
        </span>
        {chargeId === undefined ? null : <Charged chargeId={chargeId} state={chargeState} />}
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
          <Badge tone={job.errorCode === 'CANCELLED' ? 'calm' : TONES[job.status]}>
            {job.errorCode === 'CANCELLED' ? 'cancelled' : job.status}
          </Badge>
        </span>
      ) : (
        <Medium kind={job.kind} url={job.url} alt={`What ${job.modelId} made`} small />
      )}
      <span>{job.modelId}</span>
      <span class="hint">{ago(job.createdAt)}</span>
    </button>
  </li>
);

/** The newest jobs of the account, live. */
export const useJobs = (): Loaded<readonly Listed[]> => {
  const loaded = useLoaded<readonly Listed[]>(
    async (signal) => (await call('get', '/v1/agent/jobs', { query: { limit: 100 }, signal })).jobs,
    [],
  );
  useReloadAfter(['job.accepted', 'job.done', 'job.failed', 'charge.refunded'], loaded.reload);
  return loaded;
};

/** The earlier jobs of the account. The service does not keep prompts, so none are shown. */
export const History = ({
  kind,
  made: { data, error },
  onOpen,
}: {
  readonly kind: 'image' | 'video';
  readonly made: Loaded<readonly Listed[]>;
  readonly onOpen: (id: string) => void;
}) => {
  const jobs = data?.filter((job) => job.kind === kind);
  return (
    <section class="card stack" aria-labelledby="history">
      <h2 id="history">Made before</h2>
      <Problem error={error} />
      {jobs === undefined ? error === undefined && <Loading /> : null}
      {jobs?.length === 0 ? (
        <Empty title={`No ${kind}s yet`}>
          <p>Results of you and your keys appear here for a while.</p>
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
