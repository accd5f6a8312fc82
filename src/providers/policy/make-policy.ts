import type { Settings } from '../../platform/config/settings';
import type { ContentPolicy } from '../content-policy';
import { OpenaiPolicy } from './openai-policy';
import { RulesPolicy, loadRules } from './rules-policy';

/** The policy that the settings ask for. */
export const makePolicy = ({ policy, providers }: Settings): ContentPolicy => {
  const rules = new RulesPolicy(loadRules(policy.file));
  return policy.adapter === 'openai' ? new OpenaiPolicy(providers.openai, rules) : rules;
};
