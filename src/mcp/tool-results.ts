import type { CallToolResult } from '@modelcontextprotocol/server';

import { ifPresent, withoutAbsent } from '../kernel/present';
import type { RestAnswer } from './in-process';

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

/** A refusal: the envelope with corrected arguments, or the payment requirements. */
export const refusalOf = (answer: RestAnswer, tool: string, own: Json): CallToolResult => {
  const required = answer.headers['payment-required'];
  const { fix, ...envelope } = bodyOf(answer);
  const structured =
    required === undefined
      ? withoutAbsent({ ...envelope, fix: fix && { ...(fix as Json), ...own } })
      : requirementsOf(required, tool);
  return {
    isError: true,
    structuredContent: structured,
    content: [asText(structured)],
    _meta: metaOf(answer),
  };
};

/** A successful answer, as data and as text for clients that read only text. */
export const resultOf = (answer: RestAnswer, structured: Json = bodyOf(answer)): CallToolResult => ({
  structuredContent: structured,
  content: [asText(structured)],
  _meta: metaOf(answer),
});
