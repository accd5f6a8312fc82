import type { MediaModel } from './media-options.tsx';
import { facts } from './shell.tsx';
import { Code } from './ui.tsx';
import { useAddress } from './use.ts';

type Values = Readonly<Record<string, unknown>>;

/** A call of one model, as each tab shows it. */
export interface ShownCall {
  readonly path: string;
  readonly tool: string;
  readonly body: Values;
}

/** The inputs that a mode needs besides a prompt. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  i2i: ['image'],
  i2v: ['image'],
  swap: ['image', 'image2'],
  motion: ['image', 'video'],
};

export const chatCall = (model: string, tokens: number): ShownCall => ({
  path: '/v1/agent/chat',
  tool: 'chat',
  body: { model, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: tokens },
});

export const mediaCall = ({ id, mode, pricing }: MediaModel, options: Values): ShownCall => ({
  path: '/v1/agent/generate',
  tool: pricing.unit === 'image' ? 'generate_image' : 'generate_video',
  body: {
    modelId: id,
    prompt: 'A red fox in the snow',
    ...Object.fromEntries(
      (SOURCES[mode] ?? []).map((name) => [
        name,
        `https://example.com/fox.${name === 'video' ? 'mp4' : 'jpg'}`,
      ]),
    ),
    ...options,
  },
});

const indented = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);

/** JSON as Python writes it. */
const pythonOf = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).filter(([, one]) => one !== undefined);
  return `{${fields.map(([name, one]) => `"${name}": ${pythonOf(one)}`).join(', ')}}`;
};

/** An object literal of TypeScript. */
const scriptOf = (value: unknown): string => JSON.stringify(value, null, 2).replace(/"(\w+)":/g, '$1:');

const samples = ({ path, tool, body }: ShownCall) => {
  const base = facts.publicUrl;
  return [
    {
      id: 'curl',
      name: 'curl',
      code: `curl -s ${base}${path} \\
  -H "x-api-key: $LAMPPOST_KEY" -H 'content-type: application/json' \\
  -d '${JSON.stringify(body)}'`,
    },
    {
      id: 'python',
      name: 'Python',
      code: `# pip install requests
import os
import requests

answer = requests.post(
    "${base}${path}",
    headers={"x-api-key": os.environ["LAMPPOST_KEY"]},
    json=${pythonOf(body)},
    timeout=600,
)
answer.raise_for_status()
print(answer.json(), answer.headers["x-charge-micro"])`,
    },
    {
      id: 'typescript',
      name: 'TypeScript',
      code: `import { env } from 'node:process';

const answer = await fetch('${base}${path}', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': env.LAMPPOST_KEY! },
  body: JSON.stringify(${indented(scriptOf(body), '  ')}),
});
console.log(await answer.json(), answer.headers.get('x-charge-micro'));`,
    },
    {
      id: 'x402',
      name: 'x402',
      code: `// npm install @x402/fetch @x402/core @x402/evm viem
import { env } from 'node:process';

import { wrapFetchWithPayment } from '@x402/fetch';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { privateKeyToAccount } from 'viem/accounts';

const account = privateKeyToAccount(env.WALLET_KEY as \`0x\${string}\`);
const client = new x402Client().register('eip155:8453', new ExactEvmScheme(account));
client.setSpendControls({ maxAmountPerPayment: '$5' });
const pay = wrapFetchWithPayment(fetch, client);

const answer = await pay('${base}${path}', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(${indented(scriptOf(body), '  ')}),
});
console.log(await answer.json());`,
    },
    {
      id: 'mcp',
      name: 'MCP',
      code: `// npm install @modelcontextprotocol/sdk
import { env } from 'node:process';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const client = new Client({ name: 'my-agent', version: '1.0.0' });
const requestInit = { headers: { 'x-api-key': env.LAMPPOST_KEY! } };
await client.connect(new StreamableHTTPClientTransport(new URL('${base}/mcp'), { requestInit }));
console.log(
  await client.callTool({
    name: '${tool}',
    arguments: ${indented(scriptOf(body), '    ')},
  }),
);`,
    },
  ];
};

/** The call with the chosen options, in five ways. */
export const ModelCode = ({ shown }: { readonly shown: ShownCall }) => {
  const [address, setAddress] = useAddress();
  const all = samples(shown);
  const sample = all.find(({ id }) => id === address.get('code')) ?? all[0]!;
  return (
    <div class="stack">
      <div class="tabs">
        {all.map(({ id, name }) => (
          <button
            type="button"
            key={id}
            aria-pressed={id === sample.id}
            onClick={() => setAddress({ code: id })}
          >
            {name}
          </button>
        ))}
      </div>
      <Code text={sample.code} what={`the call in ${sample.name}`} />
    </div>
  );
};
