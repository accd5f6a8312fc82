import { InvalidRequest } from '#kernel/app-error';
import { AddressRange } from './address-range';
import type { SpendLimits } from './api-key';
import { type KeyScopes, widerScope } from './key-scopes';

/** The scopes of a body, or a fault that its schema can't express. */
export const checkedScopes = (scopes: KeyScopes | undefined): KeyScopes | undefined => {
  const empty = (['routes', 'models'] as const).find((scope) => scopes?.[scope]?.length === 0);
  if (empty !== undefined) {
    const param = `scopes.${empty}`;
    throw new InvalidRequest(
      `${param} is empty, so the key could be used for nothing: name what it may be used for, or leave it out.`,
      { param },
    );
  }
  const strange = scopes?.ips?.findIndex((range) => AddressRange.of(range) === undefined) ?? -1;
  if (strange >= 0) {
    const param = `scopes.ips[${strange}]`;
    throw new InvalidRequest(`${param} is no network: write it as 203.0.113.0/24 or 2001:db8::/32.`, {
      param,
    });
  }
  return scopes;
};

/** The limits of a body, if each of them can be reached. */
export const checkedLimits = <Limits extends SpendLimits | null | undefined>(limits: Limits): Limits => {
  const { dayMicro = 0, monthMicro = Infinity } = limits ?? {};
  if (dayMicro > monthMicro) {
    throw new InvalidRequest(
      `spendLimits.dayMicro is above monthMicro, and would limit nothing: send ${monthMicro} at most, or raise monthMicro.`,
      { param: 'spendLimits.dayMicro' },
    );
  }
  return limits;
};

/** A key that is made a moment after the key above it may ask for the same lifetime. */
const MOMENT_SECONDS = 60;

/** The lifetime of a key below a key that has this many seconds left. */
export const secondsBelow = (left: number, seconds: number, param: string): number => {
  if (seconds <= left) return seconds;
  if (seconds <= left + MOMENT_SECONDS) return left;
  throw new InvalidRequest(`The key above expires in ${left} seconds, and this one can't outlive it.`, {
    param,
  });
};

/** A delegated key may not have more rights than the key above it. */
export const refuseWiderScopes = (scopes: KeyScopes = {}, above: KeyScopes = {}): void => {
  const wider = widerScope(scopes, above);
  if (wider !== undefined) {
    throw new InvalidRequest(`A key can do no more than the one above it: ${wider.reason}.`, {
      param: `scopes.${wider.scope}`,
    });
  }
};
