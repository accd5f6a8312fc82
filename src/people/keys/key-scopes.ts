import { AddressRange } from './address-range';

export const ROUTE_SCOPES = [
  'chat',
  'studio',
  'image',
  'video',
  'audio',
  'references',
  'read',
  'keys',
  'webhooks',
  'cancel',
] as const;
export type RouteScope = (typeof ROUTE_SCOPES)[number];

/** The permissions of a key. A missing field is not limited. */
export interface KeyScopes {
  readonly routes?: readonly RouteScope[];
  readonly models?: readonly string[];
  readonly priceMicroMax?: number;
  /** Networks that calls may come from, in CIDR. */
  readonly ips?: readonly string[];
  readonly perMinute?: number;
}

/** The values of a call that scopes can limit. */
export interface KeyUse {
  /** Undefined for a route without a name: only keys that are not limited to routes may use it. */
  readonly route?: RouteScope;
  readonly modelId?: string;
  /** The model that a name, which is not for sale now, meant before. A repeated paid call is answered to a key for it. */
  readonly formerModelId?: string | undefined;
  readonly priceMicro?: bigint;
  /** Undefined if the address was checked before. */
  readonly ip: string | undefined;
}

/** A scope that refuses a use, and a sentence about permitted uses. */
export interface ScopeRefusal {
  readonly scope: keyof KeyScopes;
  readonly reason: string;
}

/** The first scope that forbids a use. */
export const refusalOf = (scopes: KeyScopes, use: KeyUse): ScopeRefusal | undefined => {
  const { routes, models, priceMicroMax, ips } = scopes;
  // The message about an address must not show a thief where the key works.
  const { ip } = use;
  if (ip !== undefined && ips?.some((range) => AddressRange.of(range)?.contains(ip) === true) === false)
    return { scope: 'ips', reason: 'it does not work from this address' };
  if (routes !== undefined && (use.route === undefined || !routes.includes(use.route)))
    return { scope: 'routes', reason: `it works for ${listOf(routes)} only${wanted(use.route)}` };
  const isMeant = (id: string | undefined): boolean => id !== undefined && models?.includes(id) === true;
  if (
    models !== undefined &&
    use.modelId !== undefined &&
    !isMeant(use.modelId) &&
    !isMeant(use.formerModelId)
  )
    return { scope: 'models', reason: `it works for ${listOf(models)} only, not for ${use.modelId}` };
  if (priceMicroMax !== undefined && use.priceMicro !== undefined && use.priceMicro > BigInt(priceMicroMax)) {
    const reason = `its calls may cost ${priceMicroMax} micro-USD at most, and this one costs ${use.priceMicro}`;
    return { scope: 'priceMicroMax', reason };
  }
  return undefined;
};

/** The first scope that exceeds the limit of the key above; undefined if none does. */
export const widerScope = (scopes: KeyScopes, above: KeyScopes): ScopeRefusal | undefined => {
  for (const scope of ['routes', 'models'] as const) {
    const allowed = above[scope] as readonly string[] | undefined;
    const more = allowed && scopes[scope]?.find((word) => !allowed.includes(word));
    if (allowed !== undefined && more !== undefined)
      return { scope, reason: `${more} is more than the key above may: ${listOf(allowed)}` };
  }
  for (const scope of ['priceMicroMax', 'perMinute'] as const) {
    const [own, most] = [scopes[scope], above[scope]];
    if (own !== undefined && most !== undefined && own > most)
      return { scope, reason: `${own} is more than the key above may: ${most}` };
  }
  const { ips } = above;
  const strange = ips && scopes.ips?.find((range) => coveredBy([range], ips).length === 0);
  return strange === undefined
    ? undefined
    : { scope: 'ips', reason: `${strange} is not within the networks of the key above` };
};

/** The scopes that permit what both permit. A list may be empty then. */
export const commonScopes = (one: KeyScopes, other: KeyScopes): KeyScopes => {
  const [routes, models] = [
    common(one.routes, other.routes, inBoth),
    common(one.models, other.models, inBoth),
  ];
  const ips = common(one.ips, other.ips, (own, more) => [
    ...new Set([...coveredBy(own, more), ...coveredBy(more, own)]),
  ]);
  const [priceMicroMax, perMinute] = [
    common(one.priceMicroMax, other.priceMicroMax, Math.min),
    common(one.perMinute, other.perMinute, Math.min),
  ];
  return {
    ...(routes && { routes }),
    ...(models && { models }),
    ...(ips && { ips }),
    ...(priceMicroMax !== undefined && { priceMicroMax }),
    ...(perMinute !== undefined && { perMinute }),
  };
};

const common = <Scope>(
  one: Scope | undefined,
  other: Scope | undefined,
  narrow: (one: Scope, other: Scope) => Scope,
): Scope | undefined => (one === undefined || other === undefined ? (one ?? other) : narrow(one, other));

const inBoth = <Word extends string>(one: readonly Word[], other: readonly Word[]): readonly Word[] =>
  one.filter((word) => other.includes(word));

const coveredBy = (ranges: readonly string[], networks: readonly string[]): readonly string[] => {
  const above = networks.map(AddressRange.of);
  return ranges.filter((range) => above.some((network) => network?.covers(AddressRange.of(range)) === true));
};

const listOf = (words: readonly string[]): string => (words.length === 0 ? 'nothing' : words.join(', '));

const wanted = (route: RouteScope | undefined): string => (route === undefined ? '' : `, not for ${route}`);
