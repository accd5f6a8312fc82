import { MANDATORY_THRESHOLD_MAX, isMandatory } from './mandatory-kinds';

export const plainCategory = (name: string): string =>
  /^[a-z0-9 _/-]{1,60}$/i.test(name) ? name.toLowerCase().replaceAll(/[/_]/g, ' ') : 'other';

/** A category is blocked from this score on. `off`: the category is never blocked. */
export type Threshold = number | 'off';

/** The operator's decisions about categories, by their names in plain words. */
export interface PolicyLimits {
  readonly thresholds: ReadonlyMap<string, Threshold>;
  /** The categories that models for adults allow. */
  readonly adultCategories: ReadonlySet<string>;
}

const PAIR = /^([A-Za-z][A-Za-z0-9 _/-]{0,59})=(off|0(?:\.\d{1,4})?|1(?:\.0{1,4})?)$/;

const parts = (text: string | undefined): readonly string[] =>
  (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** Reads `violence=0.9,harassment=off`. It skips unreadable parts; `limitProblems` reports them. */
export const thresholdsOf = (text: string | undefined): ReadonlyMap<string, Threshold> =>
  new Map(
    parts(text).flatMap((pair) => {
      const [, name = '', value = ''] = PAIR.exec(pair) ?? [];
      return name === '' ? [] : [[plainCategory(name), value === 'off' ? 'off' : Number(value)] as const];
    }),
  );

export const categoriesOf = (text: string | undefined): ReadonlySet<string> =>
  new Set(parts(text).map(plainCategory));

/** The mistakes in the two settings, as sentences. */
export const limitProblems = (thresholds: string | undefined, adult: string | undefined): string[] => [
  ...parts(thresholds)
    .filter((pair) => !PAIR.test(pair))
    .map(
      () =>
        'POLICY_THRESHOLDS must list categories, each with a score from 0 to 1 or off: violence=0.9,harassment=off',
    ),
  ...[...thresholdsOf(thresholds)]
    .filter(
      ([category, threshold]) =>
        isMandatory(category) && (threshold === 'off' || threshold > MANDATORY_THRESHOLD_MAX),
    )
    .map(
      ([category]) =>
        `POLICY_THRESHOLDS can set ${category} to ${MANDATORY_THRESHOLD_MAX} at most, and not to off`,
    ),
  ...[...categoriesOf(adult)]
    .filter(isMandatory)
    .map((category) => `POLICY_ADULT_CATEGORIES cannot contain ${category}`),
];
