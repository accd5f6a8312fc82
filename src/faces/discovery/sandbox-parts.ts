import { isSandboxOn, vendorSwitches } from '#models/providers/vendors';
import type { NetworkSettings } from '#money/networks/networks.settings';
import type { CreditsSettings } from '#money/credits/credits.settings';
import type { CommonSettings } from '#platform/config/settings';

/** The sandbox parts, each with the setting that would replace it. */
export type SandboxSettings = NetworkSettings & CreditsSettings & CommonSettings;

export const sandboxParts = (settings: SandboxSettings): readonly string[] => [
  ...(isSandboxOn(settings) ? [`providers (set ${vendorSwitches().join(' or ')})`] : []),
  ...(settings.x402.networks.some(({ facilitator }) => facilitator === 'sandbox')
    ? ['x402 payments (X402_FACILITATOR=sandbox)']
    : []),
  ...(settings.billing.processor === 'sandbox' ? ['card payments (BILLING_PROCESSOR=sandbox)'] : []),
];
