import type { Facts } from './facts';
import type { SoldRoute } from './published-documents';

/** The skill for agents that look for one (agentskills.io): when to use the service, and the fewest steps. */
export const skillOf = (
  { url, prices, networks, sandbox, models }: Facts,
  soldByModules: readonly SoldRoute[] = [],
): string => {
  const text = models.defaultText || (models.text[0]?.id ?? '');
  return `---
name: lamppost
description: Generates images, videos, speech and text, paid call by call in USDC (x402, no account), from a prepaid wallet, or with an API key. Use it when a task needs a picture, a film, a voice, a transcript, or another model's answer.
---

# Lamppost

Base address: ${url}. Images and videos cost $${prices.media.min} to $${prices.media.max}, chat $${prices.chat.min} to $${prices.chat.max}. A failed call costs nothing.
${sandbox.length === 0 ? '' : '\nThis service is a sandbox: pay with test wallets only, and expect no real models.\n'}
## Steps

1. Find a model: \`GET ${url}/v1/agent/models\`.
2. Ask the price, free: \`POST ${url}/v1/agent/quote\` with the body of the call.
3. Pay in one of three ways:
   - \`x-api-key: lp_…\`, if your user gave you a key.
   - x402: send the call without a credential, sign the requirements of the 402 (USDC on ${networks.map(({ network }) => network).join(', ')}), and send it again.
   - \`Sign-In-With-X\`, if your wallet has a balance here.
4. Send the call: \`POST ${url}/v1/agent/generate\` for an image or a video, \`POST ${url}/v1/agent/chat\` for a text. OpenAI's clients work
   with \`${url}/v1\`, Anthropic's and Google's with \`${url}\`${text === '' ? '' : `, for example with the model \`${text}\``}.
5. A video answers 202 with a job: ask \`GET ${url}/v1/agent/jobs/{id}\` until its status is \`done\`.
${soldByModules.map(({ path, summary }) => `- \`POST ${url}${path}\`: ${summary}\n`).join('')}
## Rules

- Ask your user before you spend more than they allowed. \`X-Max-Price-Micro\` refuses a call that would cost more.
- Send an \`Idempotency-Key\` with each paid call, and the same key again if no answer came: the call is charged once.
- On 402 \`INSUFFICIENT_FUNDS\`, stop and tell your user where to top up; the message says it.
- On 429 and 503, wait for the seconds of \`Retry-After\`.

The whole API with code: ${url}/v1/agent/guide.md. As MCP tools: ${url}/mcp, and for wallets ${url}/mcp?payment=x402.
`;
};
