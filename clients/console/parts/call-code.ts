/** JSON, as the body of a call. */
export type Values = Readonly<Record<string, unknown>>;

/** A call for which code is shown. */
export interface ShownCall {
  readonly base: string;
  readonly path: string;
  /** The equivalent tool of `/mcp`; undefined if there is none. */
  readonly tool: string | undefined;
  /** Whether a wallet can pay the exact price of one call to the route. */
  readonly isPaidByX402: boolean;
  readonly body: Values;
  /** The price, which the code shows and uses as its limit; undefined while it is unknown. */
  readonly price?: { readonly micro: number; readonly text: string; readonly isExact: boolean } | undefined;
}

export interface Sample {
  readonly id: string;
  readonly name: string;
  readonly code: string;
}

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/** The fields that JSON keeps: those that are not undefined. */
const fieldsOf = (value: object): readonly (readonly [string, unknown])[] =>
  Object.entries(value).filter(([, one]) => one !== undefined);

/** The indentation of Python. */
const STEP = '    ';

/** A list or an object, with one item on each line. */
const block = ([open, close]: readonly [string, string], items: readonly string[], step: string): string =>
  items.length === 0
    ? open + close
    : `${open}\n${items.map((item) => `${step}${indented(item, step)},`).join('\n')}\n${close}`;

const SQUARE = ['[', ']'] as const;
const CURLY = ['{', '}'] as const;

/** A JSON value as Python code. */
export const pythonOf = (value: unknown): string => {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return block(SQUARE, value.map(pythonOf), STEP);
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = fieldsOf(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonOf(one)}`);
  return block(CURLY, fields, STEP);
};

const nameOf = (name: string): string => {
  // A plain key `__proto__` would set the prototype.
  if (name === '__proto__') return `['__proto__']`;
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
};

/** A JSON value as TypeScript code. */
export const scriptOf = (value: unknown): string => {
  if (value === undefined) return 'undefined';
  if (Array.isArray(value)) return block(SQUARE, value.map(scriptOf), '  ');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = fieldsOf(value).map(([name, one]) => `${nameOf(name)}: ${scriptOf(one)}`);
  return block(CURLY, fields, '  ');
};

const priceLine = ({ price }: ShownCall, sign: string): string => {
  if (price === undefined) return '';
  const most = price.isExact ? '' : 'at most ';
  return `${sign} It costs ${most}${price.text}; maxPriceMicro refuses more.\n`;
};

/** Adds the price as the limit, so that the code never pays more after a change of the price. */
const limited = ({ body, price }: ShownCall): Values =>
  price === undefined || 'maxPriceMicro' in body ? body : { ...body, maxPriceMicro: price.micro };

const isStreamed = ({ body }: ShownCall): boolean => body['stream'] === true;

/**
 * The call with curl. The body is a here-document, so quotes in a prompt need no escape. JSON never contains the line
 * `JSON`, which ends it.
 */
export const curlOf = (shown: ShownCall): string => `${priceLine(shown, '#')}curl -sS${
  isStreamed(shown) ? 'N' : ''
} '${shown.base}${shown.path}' \\
  -H "x-api-key: $LAMPPOST_KEY" -H 'content-type: application/json' \\
  --data-binary @- <<'JSON'
${JSON.stringify(limited(shown), null, 2)}
JSON`;

const python = (shown: ShownCall): string => {
  const streamed = isStreamed(shown);
  const printed = streamed
    ? `for line in answer.iter_lines():
    print(line.decode())`
    : 'print(answer.json(), answer.headers["x-charge-micro"])';
  return `# pip install requests
import os

import requests

${priceLine(shown, '#')}answer = requests.post(
    ${JSON.stringify(shown.base + shown.path)},
    headers={"x-api-key": os.environ["LAMPPOST_KEY"]},
    json=${indented(pythonOf(limited(shown)), STEP)},
    timeout=600,${streamed ? '\n    stream=True,' : ''}
)
if not answer.ok:
    raise SystemExit(answer.text)
${printed}`;
};

/** Prints the answer, or the error of the service. */
const printed = (shown: ShownCall, more = ''): string =>
  isStreamed(shown)
    ? `for await (const piece of answer.body!.pipeThrough(new TextDecoderStream())) stdout.write(piece);`
    : `if (!answer.ok) throw new Error(await answer.text());
console.log(JSON.stringify(await answer.json(), null, 2)${more});`;

const processNames = (shown: ShownCall): string => (isStreamed(shown) ? '{ env, stdout }' : '{ env }');

const typescript = (shown: ShownCall): string => `import ${processNames(shown)} from 'node:process';

${priceLine(shown, '//')}const answer = await fetch('${shown.base}${shown.path}', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': env.LAMPPOST_KEY! },
  body: JSON.stringify(${indented(scriptOf(limited(shown)), '  ')}),
});
${printed(shown, `, answer.headers.get('x-charge-micro')`)}`;

/** The limit for a stock client in USD. By default such a client refuses to pay more than a dollar. */
const allowance = ({ price }: ShownCall): string =>
  price === undefined ? '5' : String(Math.max(1, Math.ceil(price.micro / 10_000)) / 100);

const x402 = (shown: ShownCall): string => `// npm install @x402/fetch @x402/core @x402/evm viem
import ${processNames(shown)} from 'node:process';

import { wrapFetchWithPayment } from '@x402/fetch';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { privateKeyToAccount } from 'viem/accounts';

const account = privateKeyToAccount(env.WALLET_KEY as \`0x\${string}\`);
const client = new x402Client().register('eip155:*', new ExactEvmScheme(account));
client.setSpendControls({ maxAmountPerPayment: '$${allowance(shown)}' });
const pay = wrapFetchWithPayment(fetch, client);

${priceLine(shown, '//')}const answer = await pay('${shown.base}${shown.path}', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${indented(scriptOf(limited(shown)), '  ')}),
});
${printed(shown)}`;

const mcp = (shown: ShownCall, tool: string): string => `// npm install @modelcontextprotocol/client
import { env } from 'node:process';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'my-agent', version: '1.0.0' });
const requestInit = { headers: { 'x-api-key': env.LAMPPOST_KEY! } };
await client.connect(new StreamableHTTPClientTransport(new URL('${shown.base}/mcp'), { requestInit }));

${priceLine(shown, '//')}const { structuredContent, content } = await client.callTool({
  name: '${tool}',
  arguments: ${indented(scriptOf(limited(shown)), '  ')},
});
console.log(JSON.stringify(structuredContent ?? content, null, 2));
await client.close();`;

/** The same call in each form that its route supports. */
export const samplesOf = (shown: ShownCall): readonly Sample[] => [
  { id: 'curl', name: 'curl', code: curlOf(shown) },
  { id: 'python', name: 'Python', code: python(shown) },
  { id: 'typescript', name: 'TypeScript', code: typescript(shown) },
  ...(shown.isPaidByX402 ? [{ id: 'x402', name: 'x402', code: x402(shown) }] : []),
  ...(shown.tool === undefined ? [] : [{ id: 'mcp', name: 'MCP', code: mcp(shown, shown.tool) }]),
];
