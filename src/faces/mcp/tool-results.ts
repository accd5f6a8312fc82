import type { CallToolResult } from '@modelcontextprotocol/server';

import { ifPresent, withoutAbsent } from '#kernel/present';
import { micro, usdText } from '#kernel/money';
import type { RestAnswer } from './in-process';
import { inWordsOfTools } from './tool-schemas';
import { INLINE_BYTES_MAX } from './mcp-limits';

type Json = Readonly<Record<string, unknown>>;

const PAYMENT_RESPONSE = 'x402/payment-response';

const decoded = (header: string): Json => JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as Json;

const asText = (value: Json): CallToolResult['content'][number] => ({
  type: 'text',
  text: JSON.stringify(value),
});

export const bodyOf = ({ bytes }: RestAnswer): Json =>
  bytes.length === 0 ? {} : (JSON.parse(bytes.toString('utf8')) as Json);

/** The facts about the charge. An HTTP answer has them in its headers. */
const metaOf = ({ headers }: RestAnswer): Json => {
  const charge = {
    id: headers['x-charge-id'],
    state: headers['x-charge-state'],
    priceMicro: headers['x-charge-micro'] === undefined ? undefined : Number(headers['x-charge-micro']),
    balanceMicro: headers['x-balance-micro'] === undefined ? undefined : Number(headers['x-balance-micro']),
    replayed: headers['idempotent-replayed'] === 'true' ? true : undefined,
  };
  return withoutAbsent({
    'lamppost/charge': charge.state === undefined ? undefined : withoutAbsent(charge),
    [PAYMENT_RESPONSE]: ifPresent(headers['payment-response'], decoded),
  });
};

/**
 * The payment requirements in the form of the x402 transport for MCP. There the requirements are the answer itself, and
 * name the tool.
 */
const requirementsOf = (header: string, tool: string): Json => {
  const { resource, extensions, ...required } = decoded(header);
  // The caller of a tool does not need the schema of the route's body.
  const { bazaar: _, ...others } = (extensions ?? {}) as Json;
  return {
    ...required,
    resource: { ...(resource as Json), url: `mcp://tool/${tool}` },
    extensions: others,
  };
};

/** A failure, once in words, and as data for programs. */
export const failureOf = (envelope: Json, meta?: Json): CallToolResult => {
  const { error } = envelope;
  const { message = '' } = (error ?? {}) as { readonly message?: string };
  const words = inWordsOfTools(message);
  return {
    isError: true,
    structuredContent: { ...envelope, error: { ...(error as Json), message: words } },
    content: [{ type: 'text', text: words }],
    ...(meta === undefined ? {} : { _meta: meta }),
  };
};

/** A refusal: the envelope with corrected arguments, or the payment requirements. */
export const refusalOf = (answer: RestAnswer, tool: string, own: Json): CallToolResult => {
  const required = answer.headers['payment-required'];
  const meta = metaOf(answer);
  const { fix, ...envelope } = bodyOf(answer);
  if (required === undefined)
    return failureOf(withoutAbsent({ ...envelope, fix: fix && { ...(fix as Json), ...own } }), meta);
  const structured = requirementsOf(required, tool);
  return { isError: true, structuredContent: structured, content: [asText(structured)], _meta: meta };
};

/** The parts of a result that its tool decides. */
interface Made {
  readonly made: string;
  /** The caller ordered the medium by this call, so a medium that failed is a failure of the call. */
  readonly isOrder: boolean;
  readonly picture: CallToolResult['content'];
}

/** A successful answer, as data and in words for the model. Answers that are lists are data in both. */
export const resultOf = (
  answer: RestAnswer,
  structured: Json,
  { made, isOrder, picture }: Made,
): CallToolResult => {
  const meta = metaOf(answer);
  const charge = meta['lamppost/charge'] as ChargeFacts | undefined;
  const words = wordsOf(made, structured);
  const { replayed: _, ...money } = charge ?? {};
  const data = charge === undefined ? structured : { ...structured, charge: money };
  const texts: CallToolResult['content'] =
    words === undefined
      ? [asText(data)]
      : [{ type: 'text', text: `${words}${moneyOf(charge)}` }, ...linkTo(made, structured)];
  return {
    structuredContent: data,
    ...(isOrder && structured['status'] === 'failed' ? { isError: true } : {}),
    content: [...picture, ...texts],
    _meta: meta,
  };
};

interface ChargeFacts extends Json {
  readonly state?: string;
  readonly priceMicro?: number;
  readonly balanceMicro?: number;
  readonly replayed?: boolean;
}

/** The fields of an answer that its words name. */
interface Shown extends Json {
  readonly status?: string;
  readonly kind?: string;
  readonly modelId?: string;
  readonly url?: string;
  readonly jobId?: string;
  readonly error?: string;
}

/** The words about a medium, or the text that a model wrote; undefined for other answers. */
const wordsOf = (
  made: string,
  { status, kind = made, modelId, url, jobId, error, choices }: Shown,
): string | undefined => {
  const [choice] = (choices ?? []) as readonly { readonly message?: { readonly content?: unknown } }[];
  if (typeof choice?.message?.content === 'string') return choice.message.content;
  const what = `The ${kind}${modelId === undefined ? '' : ` of ${modelId}`}`;
  switch (status) {
    case 'done':
      return `${what} is done: ${url}`;
    case 'running':
      return `${what} is being made. Call wait_for_job with jobId ${jobId}.`;
    case 'failed':
      return `${what} failed: ${error} Its price is refunded.`;
    default:
      return undefined;
  }
};

const usd = (amount: number): string => `$${usdText(micro(BigInt(amount)))}`;

const moneyOf = ({ state, priceMicro, balanceMicro, replayed }: ChargeFacts = {}): string => {
  const left = balanceMicro === undefined ? '' : ` ${usd(balanceMicro)} is left.`;
  if (priceMicro === undefined || state === 'released') return '';
  return replayed === true
    ? `\n(It was paid before: ${usd(priceMicro)}.${left})`
    : `\n(It costs ${usd(priceMicro)}.${left})`;
};

/** Hosts show a link to a medium by themselves. */
const linkTo = (made: string, { status, url, kind = made }: Shown): CallToolResult['content'] =>
  status === 'done' && url !== undefined ? [{ type: 'resource_link', uri: url, name: kind }] : [];

/** The path of a finished picture of this service, which a result also contains itself. */
export const picturePath = ({ status, kind, url }: Shown, publicUrl: string): string | undefined =>
  status === 'done' && kind !== 'video' && url?.startsWith(`${publicUrl}/media/`) === true
    ? url.slice(publicUrl.length)
    : undefined;

export const pictureIn = ({ status, headers, bytes }: RestAnswer): CallToolResult['content'] => {
  const mimeType = headers['content-type'] ?? '';
  return status === 200 && mimeType.startsWith('image/') && bytes.length <= INLINE_BYTES_MAX
    ? [{ type: 'image', data: bytes.toString('base64'), mimeType }]
    : [];
};
