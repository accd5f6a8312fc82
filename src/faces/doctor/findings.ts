import type { Check as CheckOf, Verdict } from '../../../clients/typescript/src/cli/findings';
import type { Settings } from '../../settings';

export { bad, ok, skipped, warning } from '../../../clients/typescript/src/cli/findings';

export type { Verdict };

/** One check of the settings. `lamppost doctor` shows its verdict. */
export type Check = CheckOf<Settings>;
export type Checks = Readonly<Record<string, Check>>;
