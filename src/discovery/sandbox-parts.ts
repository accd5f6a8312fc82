import type { Settings } from '../platform/config/settings';
import { isSandboxOn, vendorSwitches } from '../providers/vendors';

/** The sandbox parts, each with the setting that would replace it. */
export const sandboxParts = (settings: Settings): readonly string[] => [
  ...(isSandboxOn(settings) ? [`providers (set ${vendorSwitches().join(' or ')})`] : []),
  ...(settings.x402.networks.some(({ facilitator }) => facilitator === 'sandbox')
    ? ['x402 payments (X402_FACILITATOR=sandbox)']
    : []),
  ...(settings.billing.processor === 'sandbox' ? ['card payments (BILLING_PROCESSOR=sandbox)'] : []),
];
