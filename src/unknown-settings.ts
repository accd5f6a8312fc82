import { similarTo, slipOf } from './kernel/nearest';
import type { Variables } from './platform/config/variables';
import { settingNames, variablesOfFile, variablesOfProcess } from './settings';

/** Prefixes that only our variables have. */
const OURS = /^(X402|RATE_LIMIT|PRICE|EMBEDDER|POLICY|SANCTIONED|MEDIA|JOB|SIGNING|METRICS|BLOB|FETCH)_/;
/** Variables that Kubernetes sets for each of its services. */
const OF_KUBERNETES = /_(SERVICE_(HOST|PORT)|PORT)(_\w+)?$/;

/**
 * A sentence for each probable setting that this version does not know, such as a misspelt one. Without this warning, a
 * misspelt limit would silently have no effect.
 */
export const unknownSettings = (variables: Variables, inFile: readonly string[] = []): readonly string[] => {
  const known = settingNames(variables);
  const isStrange = (name: string): boolean => !known.includes(name);
  // If the intended setting is set as well, the variable probably has another purpose. Names without `_`, such as HOME,
  // never count as misspellings.
  const isSlip = (name: string): boolean => {
    const meant = name.includes('_') ? slipOf(name, known) : undefined;
    return meant !== undefined && (variables[meant] ?? '') === '';
  };
  const ours = Object.keys(variables).filter(
    (name) => (OURS.test(name) || isSlip(name)) && !OF_KUBERNETES.test(name),
  );
  return [...new Set([...ours, ...inFile])].filter(isStrange).map((name) => {
    const meant = similarTo(name, known);
    return `${name} is no setting of this version${meant === undefined ? '' : `; did you mean ${meant}?`}`;
  });
};

export const unknownSettingsOfProcess = (): readonly string[] =>
  unknownSettings(variablesOfProcess(), Object.keys(variablesOfFile()));
