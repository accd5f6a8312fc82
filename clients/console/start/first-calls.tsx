import { CodeTabs } from '../parts/code-tabs.tsx';
import { facts } from '../parts/shell.tsx';

const samples = (base: string) => [
  {
    id: 'curl',
    name: 'curl, with a key',
    code: `curl -s ${base}/v1/agent/generate \\
  -H 'x-api-key: lp_…' -H 'content-type: application/json' \\
  -d '{"prompt": "A red fox in the snow"}'`,
  },
  {
    id: 'typescript',
    name: 'TypeScript, with a key',
    code: `import { env } from 'node:process';

const answer = await fetch('${base}/v1/agent/chat', {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': env.LAMPPOST_KEY! },
  body: JSON.stringify({
    messages: [{ role: 'user', content: 'Say hello.' }],
    max_tokens: 64,
    maxPriceMicro: 10_000, // The call is refused above a cent, before anything is charged.
  }),
});
console.log(await answer.json(), answer.headers.get('x-charge-micro'));`,
  },
  {
    id: 'x402',
    name: 'TypeScript, with x402',
    code: `// npm install @x402/fetch @x402/core @x402/evm viem
import { env } from 'node:process';

import { wrapFetchWithPayment } from '@x402/fetch';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import { privateKeyToAccount } from 'viem/accounts';

const account = privateKeyToAccount(env.WALLET_KEY as \`0x\${string}\`);
const client = new x402Client().register('eip155:8453', new ExactEvmScheme(account));
const pay = wrapFetchWithPayment(fetch, client);

const answer = await pay('${base}/v1/agent/generate', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ prompt: 'A red fox in the snow' }),
});
console.log(await answer.json());`,
  },
  {
    id: 'openai',
    name: 'OpenAI SDK',
    code: `import { env, stdout } from 'node:process';

import OpenAI from 'openai';

const client = new OpenAI({ baseURL: '${base}/v1', apiKey: env.LAMPPOST_KEY });
const stream = await client.chat.completions.create({
  model: 'lumen-flash',
  messages: [{ role: 'user', content: 'Say hello.' }],
  stream: true,
});
for await (const chunk of stream) stdout.write(chunk.choices[0]?.delta.content ?? '');`,
  },
];

/** Example calls to paste, with the address of this service. */
export const FirstCalls = () => <CodeTabs samples={samples(facts.publicUrl)} />;
