import { type Schemas, addressOf, call } from '../parts/api.ts';
import { type Bar, BarChart } from '../parts/chart.tsx';
import { ago, hour, time } from '../parts/format.ts';
import { percent, seconds } from './measured.ts';
import { show } from '../parts/shell.tsx';
import { Strip, stepsOf } from './strip.tsx';
import { Badge, Empty, Loading, Problem, Table } from '../parts/ui.tsx';
import { useAddress, useLoaded, useReturned } from '../parts/use.ts';

type Status = Schemas['StatusAnswer'];
type Model = Schemas['ModelHealth'];

interface Readiness {
  readonly status: 'ok' | 'degraded' | 'down' | 'draining';
  readonly parts: Readonly<Record<string, 'ok' | 'degraded' | 'down'>>;
}

const WINDOWS = [
  { id: '24h', name: '24 hours' },
  { id: '7d', name: '7 days' },
  { id: '30d', name: '30 days' },
];

const SUMS: Readonly<Record<Readiness['status'], { readonly text: string; readonly tone: string }>> = {
  ok: { text: 'Everything works.', tone: 'good' },
  degraded: { text: 'The service works, but a part of it has problems.', tone: '' },
  down: { text: 'The service is down.', tone: 'bad' },
  draining: { text: 'The service is about to stop.', tone: '' },
};

const TONES = { ok: 'good', degraded: 'busy', down: 'bad' } as const;

/** Reads the body even if the HTTP status is an error, because the body contains the state. */
const readiness = async (signal: AbortSignal): Promise<Readiness> =>
  (await (await fetch(addressOf('/health/ready'), { signal })).json()) as Readiness;

const Parts = ({ ready }: { readonly ready: Readiness }) => (
  <>
    <p class={`notice ${SUMS[ready.status].tone}`}>{SUMS[ready.status].text}</p>
    <ul class="plain grid parts" aria-label="Parts">
      {Object.entries(ready.parts).map(([name, state]) => (
        <li key={name} class="card row apart">
          <span class="strong">{name}</span>
          <Badge tone={TONES[state]}>{state}</Badge>
        </li>
      ))}
    </ul>
  </>
);

const Latency = ({ status, model }: { readonly status: Status; readonly model: Model }) => {
  const bars = stepsOf(status, model).map(({ at, point }): Bar => {
    const median = point?.medianSeconds ?? null;
    return { label: hour(at), value: median ?? 0, text: seconds(median) };
  });
  return (
    <section class="card stack" aria-labelledby="latency">
      <h2 id="latency">{model.modelId} over time</h2>
      <p class="soft">Half of the calls took at most this long.</p>
      <BarChart title={`Median time of ${model.modelId}`} bars={bars} />
      <Table
        caption={`${model.modelId}, step by step`}
        head={[
          'From',
          { text: 'Succeeded', numeric: true },
          { text: 'Failed', numeric: true },
          { text: 'Median', numeric: true },
        ]}
      >
        {[...model.points].reverse().map(({ at, done, failed, medianSeconds }) => (
          <tr key={at}>
            <th scope="row">{time(at)}</th>
            <td class="number">{done}</td>
            <td class="number">{failed}</td>
            <td class="number">{seconds(medianSeconds)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
};

const Models = ({ status, onChoose }: { readonly status: Status; readonly onChoose: (id: string) => void }) =>
  status.models.length === 0 ? (
    <Empty title="No calls in this time">
      <p>Measurements appear here after the first call of a model.</p>
    </Empty>
  ) : (
    <Table
      caption="Models"
      class="log"
      head={[
        'Model',
        'Over time',
        { text: 'Calls', numeric: true, roomy: true },
        { text: 'Succeeded', numeric: true },
        { text: 'Median time', numeric: true, roomy: true },
        { text: '95 % done within', numeric: true, roomy: true },
      ]}
    >
      {status.models.map((model) => (
        <tr key={`${model.modelId} ${model.kind}`}>
          <th scope="row">
            <button type="button" class="link" onClick={() => onChoose(model.modelId)}>
              {model.modelId}
            </button>
          </th>
          <td>
            <Strip status={status} model={model} />
          </td>
          <td class="number roomy">{(model.done + model.failed).toLocaleString('en')}</td>
          <td class="number">{percent(model.successRate)}</td>
          <td class="number roomy">{seconds(model.medianSeconds)}</td>
          <td class="number roomy">{seconds(model.p95Seconds)}</td>
        </tr>
      ))}
    </Table>
  );

const StatusPage = () => {
  const [address, setAddress] = useAddress();
  const shown = WINDOWS.find(({ id }) => id === address.get('window')) ?? WINDOWS[0]!;
  const ready = useLoaded(readiness, []);
  const status = useLoaded(
    (signal) => call('get', '/v1/agent/status', { query: { window: shown.id }, signal }),
    [shown.id],
  );
  const reload = (): void => {
    ready.reload();
    status.reload();
  };
  useReturned(reload);
  const model = status.data?.models.find(({ modelId }) => modelId === address.get('model'));
  return (
    <>
      <div class="head">
        <div>
          <h1>Status</h1>
          <p>The present state of each part, and the outcomes of real calls.</p>
        </div>
        <button type="button" class="button" onClick={reload} disabled={status.loading}>
          Look again
        </button>
      </div>
      <Problem error={ready.error} />
      {ready.data === undefined ? ready.error === undefined && <Loading /> : <Parts ready={ready.data} />}
      <section class="card stack" aria-labelledby="models">
        <h2 id="models">Models</h2>
        <div class="tabs">
          {WINDOWS.map(({ id, name }) => (
            <button
              type="button"
              key={id}
              aria-pressed={id === shown.id}
              onClick={() => setAddress({ window: id })}
            >
              {name}
            </button>
          ))}
        </div>
        <Problem error={status.error} />
        {status.data === undefined ? (
          status.error === undefined && <Loading />
        ) : (
          <>
            <Models status={status.data} onChoose={(id) => setAddress({ model: id })} />
            <p class="hint">
              Measured {ago(status.data.to)}, from the service's own books. Nobody pays for a call that
              failed. Payments that did not go through, and chats that ended without a charge, say nothing
              about a model and are left out.
            </p>
          </>
        )}
      </section>
      {status.data === undefined || model === undefined ? null : (
        <Latency status={status.data} model={model} />
      )}
    </>
  );
};

show(<StatusPage />);
