import { ContentPolicy } from './content-policy';
import { vendorOf } from '../vendors';
import { RulesScreener, loadRules } from './rules-screener';
import type { PolicySettings } from './policy.settings';
import type { CommonSettings } from '#platform/config/settings';

/** The policy that the settings select: our own rules, or a provider's screener together with them. */
export const makePolicy = ({ policy, providers }: PolicySettings & CommonSettings): ContentPolicy => {
  const rules = new RulesScreener(loadRules(policy.file));
  const screening = providers.find(({ name }) => name === policy.adapter);
  const screener = (screening && vendorOf(screening).screener?.(screening, rules)) ?? rules;
  return new ContentPolicy(screener, policy.limits, policy.screensResults);
};
