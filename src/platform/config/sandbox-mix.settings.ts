import { Flag } from './variables';
import { defineSettings } from './settings';

export class SandboxMixVariables {
  @Flag() readonly ALLOW_SANDBOX_MIX: boolean = false;
}

/** Real parties spend the operator's money, so every part of the service must take real money as well. */
export const sandboxMixSettings = defineSettings({
  variables: SandboxMixVariables,
  problems: (env: SandboxMixVariables, { parties, freeOfMoney }) => {
    const real = [...new Set(parties.flatMap(({ isOn, enabledBy }) => (isOn ? (enabledBy ?? []) : [])))];
    return real.length > 0 && freeOfMoney.length > 0 && !env.ALLOW_SANDBOX_MIX
      ? [
          `${real.join(' and ')} would spend real money while ${freeOfMoney.join(' and ')} ${freeOfMoney.length === 1 ? 'takes' : 'take'} none; ` +
            'set up both sides for real, or set ALLOW_SANDBOX_MIX=true if you mean it',
        ]
      : [];
  },
  read: (env: SandboxMixVariables) => ({ allowSandboxMix: env.ALLOW_SANDBOX_MIX }),
});
