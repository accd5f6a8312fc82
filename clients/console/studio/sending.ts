import { type Schemas, ApiError, call, send } from '../parts/api.ts';
import type { Values } from '../parts/call-code.ts';
import { eventsOf } from './chat.ts';

/** How a call of the playground is sent. */
export interface Sending {
  readonly path: string;
  readonly body: Values;
  /** The key that pays. If it is undefined, the session pays. */
  readonly key: string | undefined;
  readonly mark: string;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

/** The answer of a call. */
export interface Outcome {
  readonly text?: string | undefined;
  readonly medium?: { readonly kind: 'image' | 'video'; readonly url: string } | undefined;
  /** Other answers, such as the price of a dry run or a tool call. */
  readonly json?: unknown;
  readonly costMicro?: number | undefined;
  readonly chargeId?: string | undefined;
  readonly tokens?: { readonly input: number; readonly output: number } | undefined;
}

interface TextAnswer {
  readonly choices?: readonly { readonly message: { readonly content?: string | null } }[];
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

const LOOK_MS = 1_500;

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

/** Polls a job until it ends. */
const ended = async (id: string, { key, signal, onText }: Sending): Promise<Schemas['JobAnswer']> => {
  for (;;) {
    const job = await call('get', '/v1/agent/jobs/{id}', { at: { id }, key, signal });
    if (job.status !== 'running') return job;
    onText(`Being made: ${job.progress ?? 0} %`);
    await pause(LOOK_MS, signal);
  }
};

/** Reads the cost from the receipt, because a job may be refunded after the answer. */
const paid = async (id: string, { key, signal }: Sending): Promise<number | undefined> => {
  if (id === '') return undefined;
  const receipt = await call('get', '/v1/agent/charges/{id}', { at: { id }, key, signal });
  if (receipt.state === 'released' || receipt.state === 'refunded') return 0;
  return 'priceMicro' in receipt && receipt.state === 'charged' ? receipt.priceMicro : undefined;
};

const streamed = async (body: ReadableStream<Uint8Array>, { onText }: Sending): Promise<Outcome> => {
  let text = '';
  let outcome: Outcome = {};
  for await (const { choices, usage, charge, error } of eventsOf(body)) {
    if (error !== undefined) throw new ApiError(502, { error });
    text += choices?.[0]?.delta.content ?? '';
    onText(text);
    if (usage !== undefined) {
      outcome = { tokens: { input: usage.prompt_tokens, output: usage.completion_tokens } };
    }
    if (charge !== undefined) outcome = { ...outcome, costMicro: charge.priceMicro };
  }
  return { ...outcome, text };
};

const textOf = (answer: TextAnswer): Outcome => {
  const { choices, usage } = answer;
  const text = choices?.[0]?.message.content;
  return {
    text: typeof text === 'string' && text !== '' ? text : undefined,
    json: typeof text === 'string' && text !== '' ? undefined : answer,
    tokens: usage && { input: usage.prompt_tokens, output: usage.completion_tokens },
  };
};

/** Sends one call and waits for its result and for its cost. */
export const sendCall = async (sending: Sending): Promise<Outcome> => {
  const { path, key, mark, signal } = sending;
  // A stream contains its tokens and its charge only if the call requests them.
  const body =
    sending.body['stream'] === true && !('stream_options' in sending.body)
      ? { ...sending.body, stream_options: { include_usage: true } }
      : sending.body;
  const isMedia = path === '/v1/agent/generate';
  const response = await send('post', path, {
    body,
    key,
    signal,
    headers: { ...(isMedia ? { prefer: 'respond-async' } : {}), 'idempotency-key': mark },
  });
  const chargeId = response.headers.get('x-charge-id') ?? '';
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream && response.body !== null) {
    const outcome = await streamed(response.body, sending);
    return { ...outcome, chargeId, costMicro: outcome.costMicro ?? (await paid(chargeId, sending)) };
  }
  const answer = (await response.json()) as TextAnswer & Partial<Schemas['MediaRunningAnswer']>;
  if (body['dryRun'] === true) return { json: answer };
  if (!isMedia) return { ...textOf(answer), chargeId, costMicro: await paid(chargeId, sending) };
  const { jobId } = answer;
  // If a job ends before the answer is sent, the answer has no job id, but the receipt has it.
  const receipt =
    jobId === undefined
      ? await call('get', '/v1/agent/charges/{id}', { at: { id: chargeId }, key, signal })
      : undefined;
  const job = await ended(jobId ?? (receipt as { jobId?: string }).jobId ?? '', sending);
  const costMicro = await paid(chargeId, sending);
  if (job.status === 'failed') {
    throw new Error(`${job.error ?? 'It failed.'} ${costMicro === 0 ? 'Nothing was charged.' : ''}`);
  }
  return {
    medium: job.url === undefined ? undefined : { kind: job.kind, url: job.url },
    chargeId,
    costMicro,
  };
};
