import { CRAWLED_MAX } from './crawler-selection';
import type { Facts } from './facts';
import { GUIDES } from './guides';
import type { SoldRoute } from './published-documents';

/** The index for language models (llmstxt.org). It describes the service, and names the page for each question. */
export const llmsOf = (
  { url, prices, networks, sandbox }: Facts,
  soldByModules: readonly SoldRoute[] = [],
): string =>
  `# Lamppost

> Image, video, audio and text generation, paid call by call in USDC on ${networks.map(({ network }) => network).join(', ')} (x402, no account), from a prepaid wallet, or with
> an API key. Images and videos cost $${prices.media.min} to $${prices.media.max}, chat $${prices.chat.min} to $${prices.chat.max}.

Base address: ${url}. Send a paid call without a credential and the 402 has the exact payment requirements; failed calls are not charged.
${sandbox.length === 0 ? '' : 'This service is a sandbox: pay with test wallets only.\n'}
## Docs

- [Guide](${url}/v1/agent/guide.md): the whole API in one page, with code for each way to pay. Read this first.
- [OpenAPI](${url}/v1/agent/openapi.json): every route, field, limit and error, exactly.
- [OpenAPI for crawlers](${url}/openapi.json): a selection of at most ${CRAWLED_MAX} operations.
- [Skill](${url}/skill.md): when and how to use this service, for agents.
- [Manifest](${url}/v1/agent/manifest.json): prices, promises and limits for programs.

## Guides

${GUIDES.map(({ name, title, about }) => `- [${title}](${url}/guides/${name}.md): ${about}`).join('\n')}

## Endpoints

- [Models](${url}/v1/agent/models): all models with their prices.
${soldByModules.map(({ path, summary }) => `- [POST ${path}](${url}/v1/extensions/openapi.json): ${summary}\n`).join('')}- [Paid resources](${url}/.well-known/x402): the addresses that answer 402.
- [MCP](${url}/mcp): the same as tools, over Streamable HTTP, by key or by OAuth. [MCP for wallets](${url}/mcp?payment=x402): paid by x402. [Entry for registries](${url}/server.json).
- [Receipt keys](${url}/.well-known/jwks.json): the keys that verify receipts of charges.

## Optional

- [API explorer](${url}/docs): the API reference for people.
- [Account API](${url}/v1/account/openapi.json): sign-up, keys and credits.
`;
