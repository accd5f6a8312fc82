import { Flag, Text } from '#platform/config/variables';
import { categoriesOf, limitProblems, thresholdsOf } from './policy-limits';
import { type Outside, type SettingsOf, defineSettings } from '#platform/config/settings';

class PolicyVariables {
  @Text(100) readonly POLICY: string = 'rules';
  @Text() readonly POLICY_FILE?: string;
  @Text(4_000) readonly POLICY_THRESHOLDS?: string;
  @Flag() readonly POLICY_RESULTS: boolean = false;
  @Text(1_000) readonly POLICY_ADULT_CATEGORIES: string = 'sexual';
}

/** The value of `POLICY` for the service's own rules, without a provider. */
const RULES = 'rules';

/** The screening party must be enabled and able to screen. */
const screenerProblems = ({ POLICY: policy }: PolicyVariables, { parties }: Outside): readonly string[] => {
  if (policy === RULES) return [];
  const party = parties.find(({ name }) => name === policy);
  if (party?.screens !== true) {
    const able = parties.filter(({ screens }) => screens).map(({ name }) => name);
    return [`POLICY must be one of ${[RULES, ...able].join(', ')}`];
  }
  return party.isOn ? [] : [`${party.enabledBy} is required with POLICY=${policy}`];
};

export const policySettings = defineSettings({
  variables: PolicyVariables,
  problems: (env: PolicyVariables, outside) => [
    ...screenerProblems(env, outside),
    ...limitProblems(env.POLICY_THRESHOLDS, env.POLICY_ADULT_CATEGORIES),
  ],
  read: (env: PolicyVariables) => ({
    policy: {
      /** `rules`, or the name of the provider that screens. */
      adapter: env.POLICY,
      file: env.POLICY_FILE,
      limits: {
        thresholds: thresholdsOf(env.POLICY_THRESHOLDS),
        adultCategories: categoriesOf(env.POLICY_ADULT_CATEGORIES),
      },
      /** Whether results are screened before a caller gets them. */
      screensResults: env.POLICY_RESULTS,
    },
  }),
});

export type PolicySettings = SettingsOf<typeof policySettings>;
