import type { Check as CheckOf } from '../../clients/typescript/src/cli/findings';
import type { Settings } from '../platform/config/settings';

export { bad, look, ok, skipped } from '../../clients/typescript/src/cli/findings';

/** One look at what the settings name, in the words in which `lamppost doctor` speaks. */
export type Check = CheckOf<Settings>;
export type Checks = Readonly<Record<string, Check>>;
