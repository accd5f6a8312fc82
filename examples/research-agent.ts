// Answers a question by way of smaller ones: the tools are the service's own, by MCP, and the package says what they cost.
// It asks for no more than it was given, and its report lists a receipt for each step:
//   LAMPPOST_URL=… LAMPPOST_KEY=lp_… node -r ./tools/typescript.cjs examples/research-agent.ts 'Why are lampposts green?' report.md
import { writeFileSync } from 'node:fs';

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

// In a project of your own: from 'lamppost'.
import { Lamppost } from '../clients/typescript/src/lamppost';

const [, , question = 'Why are lampposts green?', file = 'report.md'] = process.argv;
const { LAMPPOST_URL: baseUrl = 'http://127.0.0.1:3000', LAMPPOST_KEY: key = '' } = process.env;
const TAG = 'research';
const STEP_MICRO_MAX = 50_000;
const ASPECTS = ['What is known of it?', 'What speaks against it?', 'Who would know more?'];

const lamppost = new Lamppost({ baseUrl, key });
const agent = new Client({ name: 'research-agent', version: '1.0.0' });

const use = async <Answer>(name: string, args: object): Promise<Answer> => {
  const { isError, structuredContent } = await agent.callTool({
    name,
    arguments: { ...args, maxPriceMicro: STEP_MICRO_MAX, tag: TAG },
  });
  if (isError === true) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`);
  return structuredContent as Answer;
};

const ask = async (content: string): Promise<string> => {
  interface Answer {
    readonly choices: readonly { readonly message: { readonly content: string } }[];
  }
  const { choices } = await use<Answer>('chat', { messages: [{ role: 'user', content }], max_tokens: 200 });
  return choices[0]?.message.content ?? '';
};

const research = async (): Promise<void> => {
  const headers = { 'x-api-key': key };
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), { requestInit: { headers } });
  await agent.connect(transport as Parameters<Client['connect']>[0]);
  const before = await lamppost.balance();
  const findings = await Promise.all(ASPECTS.map((aspect) => ask(`${question} ${aspect}`)));
  const summary = await ask(`${question} Answer in three sentences, from this:\n${findings.join('\n')}`);
  const { url } = await use<{ readonly url: string }>('generate_image', { prompt: question });
  await agent.close();

  const after = await lamppost.balance();
  const notes = ASPECTS.map((aspect, at) => `## ${aspect}\n\n${findings[at]}\n`);
  writeFileSync(file, [`# ${question}\n`, `${summary}\n`, `![${question}](${url})\n`, ...notes].join('\n'));
  console.log(
    `${file}: ${findings.length + 2} steps for $${((before.micro - after.micro) / 1e6).toFixed(6)}.`,
  );
};

research().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
