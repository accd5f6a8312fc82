import type { Settings } from '../../platform/config/settings';
import type { ContentPolicy } from '../content-policy';
import { OpenaiPolicy } from './openai-policy';
import { RulesPolicy, loadRules } from './rules-policy';

/** The policy that the settings ask for. */
export const makePolicy = ({ policy, providers }: Settings): ContentPolicy =>
  policy.adapter === 'openai' ? new OpenaiPolicy(providers.openai) : new RulesPolicy(loadRules(policy.file));
