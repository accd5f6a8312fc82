import { takesRealMoney } from '#money/networks/networks.settings';
import { isSandboxOn } from '#models/providers/vendors';
import type { Settings } from '../../settings';

/** Whether a key of Stripe moves no real money. */
export const isTestKey = (secretKey = ''): boolean => secretKey.includes('_test_');

/** The warning that callers pay real money for results of the sandbox. Empty if they do not. */
export const soldSandbox = (settings: Settings): readonly string[] => {
  const { x402, billing } = settings;
  if (!isSandboxOn(settings)) return [];
  const real = [
    ...x402.networks.filter(takesRealMoney).map(({ network }) => `USDC on ${network}`),
    ...(billing.processor === 'stripe' && !isTestKey(billing.stripe.secretKey) ? ['cards'] : []),
  ];
  return real.length === 0
    ? []
    : [
        `callers pay real money (${real.join(', ')}) for results of the sandbox, which no model made: ` +
          'set the key of a vendor before anybody calls',
      ];
};
