import { sandboxParts } from './discovery/sandbox-parts';
import type { Settings } from './platform/config/settings';

/** The first output for a new user: the address, the sandbox parts, and an example call to copy. */
export const startupMessage = (settings: Settings, embeddedDatabase: boolean): string => {
  if (settings.mode === 'production' || settings.role === 'worker') {
    return '';
  }
  const { publicUrl } = settings.http;
  const sandbox = sandboxParts(settings);
  return [
    '',
    `Lamppost runs at ${publicUrl}`,
    `  docs      ${publicUrl}/docs`,
    `  guide     ${publicUrl}/v1/agent/guide.md`,
    `  MCP       ${publicUrl}/mcp`,
    `  health    ${publicUrl}/health/ready`,
    `  database  ${embeddedDatabase ? `embedded, under ${settings.dataDir}` : 'DATABASE_URL'}`,
    ...(sandbox.length === 0
      ? []
      : ['', 'Sandbox, no real money and no real models; use test wallets only:']),
    ...sandbox.map((part) => `  - ${part}`),
    '',
    'A first call:',
    `  curl -s ${publicUrl}/v1/agent/quote -H 'content-type: application/json' \\`,
    `    -d '{"modelId":"ember-image"}'`,
    '',
    '',
  ].join('\n');
};
