import type { Schemas } from '../parts/api.ts';
import { count, money, time } from '../parts/format.ts';
import { facts } from '../parts/shell.tsx';
import { Code } from '../parts/ui.tsx';

export type Request = Schemas['RequestAnswer'];

/** The kinds of calls, by the names that charges have. */
const OPERATIONS: Readonly<Record<string, { readonly text: string; readonly route: string }>> = {
  media: { text: 'Image or video', route: 'POST /v1/agent/generate' },
  chat: { text: 'Chat, priced by the call', route: 'POST /v1/agent/chat' },
  studio: { text: 'Chat, priced by usage', route: 'POST /v1/chat/completions' },
};

const OUTCOMES: Readonly<Record<Request['attempts'][number]['outcome'], string>> = {
  accepted: 'accepted the work',
  unserved: 'does not offer something that the call asks for, so the next one was tried',
  unavailable: 'did not accept the work, so the next one was tried',
  failed: 'failed, and the call ended',
};

export const duration = (ms: number | undefined): string =>
  ms === undefined ? '' : ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;

/** The tokens of a text, or the kind and duration of a medium. */
export const measure = ({ tokens, medium }: Request): string => {
  if (tokens !== undefined)
    return `${tokens.input.toLocaleString('en')} in, ${tokens.output.toLocaleString('en')} out`;
  if (medium === undefined) return '';
  const length = medium.seconds === undefined ? '' : `, ${medium.seconds} s`;
  return `${medium.kind}${length}`;
};

const inputOf = (path: string): object =>
  path.endsWith('/responses')
    ? { input: 'YOUR PROMPT' }
    : { messages: [{ role: 'user', content: 'YOUR PROMPT' }], max_tokens: 1_024 };

/** The same call with a placeholder for the prompt, which the service does not store. */
export const curlOf = ({ operation = '', route, modelId, medium, tag }: Request): string => {
  const [method = 'POST', path = ''] = (
    route ??
    OPERATIONS[operation]?.route ??
    'POST /v1/agent/generate'
  ).split(' ');
  const isText = /chat|messages|responses/.test(path);
  const body = {
    ...(modelId === undefined ? {} : { [isText ? 'model' : 'modelId']: modelId }),
    ...(isText ? inputOf(path) : { prompt: 'YOUR PROMPT' }),
    ...(medium?.seconds === undefined ? {} : { duration: medium.seconds }),
    ...(tag === undefined ? {} : { tag }),
  };
  const sent = JSON.stringify(body).replaceAll("'", String.raw`'\''`);
  return `curl -X ${method} ${facts.publicUrl}${path} \\
  -H "x-api-key: $LAMPPOST_KEY" -H 'content-type: application/json' \\
  -d '${sent}'`;
};

/** The service leaves the sums out if they take too long. */
export const sumsOf = ({ calls, costMicro }: NonNullable<Request['session']>): string =>
  calls === undefined || costMicro === undefined
    ? ''
    : `, ${count(calls, 'call')}, ${money(costMicro)} so far`;

const ifSession = (session: Request['session']): string | undefined =>
  session && `${session.id}${sumsOf(session)}`;

/** All known facts about one call. */
export const RequestDetails = ({
  line,
  onReceipt,
  onSession,
}: {
  readonly line: Request;
  readonly onReceipt: (chargeId: string) => void;
  readonly onSession: (sessionId: string) => void;
}) => {
  const { attempts, chargeId, jobId, operation = '', session } = line;
  const known = [
    ['Time', time(line.at)],
    ['Call', line.route ?? OPERATIONS[operation]?.text ?? operation],
    ['Model', line.modelId],
    ['Key', line.key?.name ?? line.key?.id],
    ['Member', line.member?.email ?? line.member?.id],
    ['Tag', line.tag],
    ['Session', ifSession(session)],
    ['HTTP status', line.httpStatus?.toString()],
    ['Error', line.code],
    ['Used', measure(line)],
    ['Took', duration(line.ms)],
    ['Cost', money(line.costMicro)],
    ['Charge', chargeId],
    ['Job', jobId],
  ].filter((fact): fact is [string, string] => fact[1] !== undefined && fact[1] !== '');
  return (
    <div class="stack">
      <dl class="facts">
        {known.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{name === 'Error' ? <a href={`guides/errors#${value}`}>{value}</a> : value}</dd>
          </div>
        ))}
      </dl>
      {attempts.length === 0 ? null : (
        <>
          <h3>Attempts</h3>
          <ol>
            {attempts.map(({ outcome, ms }, at) => (
              <li key={at}>
                Provider {at + 1} {OUTCOMES[outcome]} ({duration(ms)}).
              </li>
            ))}
          </ol>
        </>
      )}
      <h3>Run it again</h3>
      <Code text={curlOf(line)} what="the call as curl" />
      <p class="soft fine">Prompts are not stored: put yours in.</p>
      <div class="row">
        {chargeId === undefined ? null : (
          <button type="button" class="small" onClick={() => onReceipt(chargeId)}>
            Receipt
          </button>
        )}
        {session === undefined ? null : (
          <button type="button" class="small" onClick={() => onSession(session.id)}>
            All calls of the session
          </button>
        )}
      </div>
    </div>
  );
};
