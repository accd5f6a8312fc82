/**
 * The largest accepted amount. Larger numbers may not be exact in JavaScript, and no call costs even a tenth of this.
 */
const MICRO_MAX = 1e15 - 1;

const isMicro = (value: unknown, mostMicro: number): value is number =>
  Number.isSafeInteger(value) &&
  (value as number) >= 0 &&
  (value as number) <= Math.min(mostMicro, MICRO_MAX);

/** An amount in a text of a service, if it is valid and at most `mostMicro`. */
export const microIn = (text: string | null | undefined, mostMicro = MICRO_MAX): number | undefined => {
  if (!/^\d{1,15}$/.test(text ?? '')) return undefined;
  const value = Number(text);
  return isMicro(value, mostMicro) ? value : undefined;
};

/** An amount in a JSON number of a service, if it is valid and at most `mostMicro`. */
export const microOf = (value: unknown, mostMicro = MICRO_MAX): number | undefined =>
  isMicro(value, mostMicro) ? value : undefined;

/** A required amount. It throws if the amount is missing, because the budget could not count the call. */
export const sureMicro = (value: unknown, what: string): number => {
  const micro = microOf(value);
  if (micro === undefined) throw new TypeError(`The service names ${what} that is none: ${String(value)}.`);
  return micro;
};
