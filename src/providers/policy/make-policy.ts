import type { Settings } from '../../platform/config/settings';
import type { ContentPolicy } from '../content-policy';
import { RulesPolicy, loadRules } from './rules-policy';

/** The policy that the settings ask for. */
export const makePolicy = (settings: Settings): ContentPolicy =>
  new RulesPolicy(loadRules(settings.policy.file));
