import type { Settings } from '../platform/config/settings';
import { enabledAdapters } from '../providers/adapters';

/** Which parts only play at being real, by the setting that would change it. */
export const sandboxParts = (settings: Settings): readonly string[] => [
  ...(enabledAdapters(settings).has('sandbox')
    ? ['providers (set OPENAI_API_KEY, FAL_KEY or REPLICATE_API_TOKEN)']
    : []),
  ...(settings.x402.facilitator === 'sandbox' ? ['x402 payments (X402_FACILITATOR=sandbox)'] : []),
  ...(settings.billing.processor === 'sandbox' ? ['card payments (BILLING_PROCESSOR=sandbox)'] : []),
];
