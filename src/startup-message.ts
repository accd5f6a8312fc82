import { sandboxParts } from './faces/discovery/sandbox-parts';
import { takesRealMoney } from './money/networks/networks.settings';
import type { Settings } from './settings';
import { isSandboxOn } from './models/providers/vendors';

/** The first output for a new user: the address, the sandbox parts, and an example call to copy. */
export const startupMessage = (settings: Settings, embeddedDatabase: boolean): string => {
  if (settings.mode === 'production' || settings.role === 'worker') return '';
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
    ...(sandbox.length === 0 ? [] : ['', sandboxWarning(settings)]),
    ...sandbox.map((part) => `  - ${part}`),
    '',
    'A first call:',
    ...(isSandboxOn(settings)
      ? [
          `  curl -s ${publicUrl}/v1/agent/quote -H 'content-type: application/json' \\`,
          `    -d '{"modelId":"ember-image"}'`,
        ]
      : [`  curl -s ${publicUrl}/v1/agent/models`]),
    '',
    '',
  ].join('\n');
};

/** The line of the log for a start without the message. */
export const addressLine = ({ http: { host, port, publicUrl } }: Settings): string =>
  `The service listens on ${host}:${port}. Its public address is ${publicUrl}.`;

/** Names what is simulated. Real models cost the operator real money even if callers pay with play money. */
const sandboxWarning = (settings: Settings): string => {
  const { x402, billing } = settings;
  const isTestChain = x402.networks.some(({ facilitator }) => facilitator === 'sandbox');
  const isMoneyReal = x402.networks.some(takesRealMoney) || billing.processor === 'stripe';
  const simulated = [
    ...(isMoneyReal ? [] : ['no real money']),
    ...(isSandboxOn(settings) ? ['no real models'] : []),
  ].join(' and ');
  const payments = isMoneyReal ? 'some payments are tests' : `test payments, ${simulated}`;
  const what = isSandboxOn(settings) ? `Sandbox, ${simulated}` : `Real models, ${payments}`;
  return `${what}${isTestChain ? '; use test wallets only' : ''}:`;
};
