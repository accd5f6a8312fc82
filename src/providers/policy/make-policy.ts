import type { Settings } from '../../platform/config/settings';
import type { ContentPolicy } from '../content-policy';
import { vendorOf } from '../vendors';
import { RulesPolicy, loadRules } from './rules-policy';

/** The policy that the settings select: our own rules, or a provider's with them. */
export const makePolicy = ({ policy, providers }: Settings): ContentPolicy => {
  const rules = new RulesPolicy(loadRules(policy.file));
  const screening = providers.find(({ name }) => name === policy.adapter);
  return (screening && vendorOf(screening).policy?.(screening, rules)) ?? rules;
};
