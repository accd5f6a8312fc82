import type { Settings } from './platform/config/settings';
import { enabledAdapters } from './providers/adapters';

/** Which parts only play at being real, by the setting that would change it. */
export const sandboxParts = (settings: Settings): readonly string[] => [
  ...(enabledAdapters(settings).has('sandbox')
    ? ['providers (set OPENAI_API_KEY, FAL_KEY or REPLICATE_API_TOKEN)']
    : []),
  ...(settings.x402.facilitator === 'sandbox' ? ['x402 payments (X402_FACILITATOR=sandbox)'] : []),
  ...(settings.billing.processor === 'sandbox' ? ['card payments (BILLING_PROCESSOR=sandbox)'] : []),
];

/** What a newcomer sees first: where it runs, what is only sandbox, and a call to paste. */
export const welcome = (settings: Settings, embeddedDatabase: boolean): string => {
  if (settings.mode === 'production' || settings.role === 'worker') {
    return '';
  }
  const { publicUrl } = settings.http;
  const sandbox = sandboxParts(settings);
  return [
    '',
    `Lamppost runs at ${publicUrl}`,
    `  docs      ${publicUrl}/docs`,
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
