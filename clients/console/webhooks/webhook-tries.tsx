import { useState } from 'preact/hooks';

import { type Schemas, call } from '../parts/api.ts';
import { time } from '../parts/format.ts';
import { EVENT_TYPES, useReloadAfter } from '../parts/live-events.ts';
import { Badge, Code, Loading, Problem } from '../parts/ui.tsx';
import { useLoaded } from '../parts/use.ts';

type Try = Schemas['WebhookTryAnswer'];

const headersText = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** Formats JSON in lines. A body that the service has cut is no valid JSON, and stays unchanged. */
const pretty = (payload: string): string => {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
};

const Opened = ({ shown }: { readonly shown: Try }) => (
  <div class="stack">
    <h4>Sent</h4>
    <Code text={headersText(shown.requestHeaders)} what="the sent headers" />
    <Code text={pretty(shown.payload)} what="the sent body" />
    <h4>Answered</h4>
    {shown.status === undefined ? (
      <p>There was no answer: {shown.error}.</p>
    ) : (
      <>
        <Code text={headersText(shown.responseHeaders)} what="the headers of the answer" />
        {shown.responseBody === '' ? (
          <p class="soft">The answer had no body.</p>
        ) : (
          <Code text={shown.responseBody} what="the body of the answer" />
        )}
      </>
    )}
  </div>
);

/** The newest tries of an endpoint, with the sent and received data. */
export const Tries = ({
  endpoint,
  eventId,
  turn,
  onAll,
}: {
  readonly endpoint: string;
  readonly eventId: string | undefined;
  readonly turn: string;
  readonly onAll: () => void;
}) => {
  const { data, error, reload } = useLoaded(
    (signal) =>
      call('get', '/v1/account/webhooks/{id}/tries', { at: { id: endpoint }, query: { eventId }, signal }),
    [endpoint, eventId, turn],
  );
  useReloadAfter(EVENT_TYPES, reload);
  const [open, setOpen] = useState<string>();
  return (
    <div class="stack">
      <div class="row apart">
        <h3>{eventId === undefined ? 'Newest tries, tests included' : 'Tries of this event'}</h3>
        <span class="row">
          <button type="button" class="small" onClick={reload}>
            Look again
          </button>
          {eventId === undefined ? null : (
            <button type="button" class="small" onClick={onAll}>
              All tries
            </button>
          )}
        </span>
      </div>
      <Problem error={error} />
      {data === undefined ? error === undefined && <Loading rows={2} /> : null}
      {data?.tries.length === 0 ? <p class="soft">Nothing was tried in the last seven days.</p> : null}
      <ul class="plain stack" aria-label="Tries">
        {data?.tries.map((one) => (
          <li key={one.id} class="stack">
            <div class="row">
              <button
                type="button"
                class="link"
                aria-expanded={open === one.id}
                onClick={() => setOpen(open === one.id ? undefined : one.id)}
              >
                {one.type}, {time(one.at)}
              </button>
              <Badge tone={one.status !== undefined && one.status < 300 ? 'good' : 'bad'}>
                {String(one.status ?? 'no answer')}
              </Badge>
              <span class="soft">{one.durationMs} ms</span>
            </div>
            {open === one.id ? <Opened shown={one} /> : null}
          </li>
        ))}
      </ul>
      <p class="hint">
        At most 20 tries of the last seven days. Of an answer, the first 2048 characters are kept, as plain
        text; redirects are not followed.
      </p>
    </div>
  );
};
