import { isIP } from 'node:net';

import { API_VERSION } from './openapi-documents';

/** The name of the service in a registry: its host in reverse, as the owner of a domain proves it. */
const nameOf = (host: string): string =>
  `${isIP(host) === 0 ? host.split('.').toReversed().join('.') : host}/lamppost`;

/** The entry for registries of MCP servers (`server.json`). */
export const mcpEntryOf = (url: string): object => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: nameOf(new URL(url).hostname),
  title: 'Lamppost',
  description: 'Images, videos, audio and text, paid call by call: by key, wallet or x402.',
  version: API_VERSION,
  websiteUrl: url,
  remotes: [
    {
      type: 'streamable-http',
      url: `${url}/mcp`,
      headers: [
        {
          name: 'x-api-key',
          description: 'An API key of this service. Without one, the user signs in.',
          isRequired: false,
          isSecret: true,
        },
      ],
    },
    // For wallets: tools answer with the requirements of x402.
    { type: 'streamable-http', url: `${url}/mcp?payment=x402` },
  ],
});
