import { createHash } from 'node:crypto';

import type { Attempt } from '../attempts';
import type { RouteHealth, RouteWork } from './route-health';
import { type ProviderRoute, type RoutedModel, type Routing, keyOf } from './route';

/** Smaller differences of speed are ignored, so that a conversation stays at the vendor that has cached it. */
const SPEED_STEP = 1.25;

/** A second request to another route, sent if the first route has not begun to answer in time. */
export interface Hedge<T> {
  readonly afterMs: number;
  /** Discards the answer of the route that came second. */
  readonly discard: (answer: T) => void;
  /** Called with the route whose request was aborted. The vendor may bill that request. */
  readonly lost: (route: ProviderRoute) => void;
}

export interface UnhedgedCall {
  readonly work: RouteWork;
  /** In every process, calls with the same text go to the same route of a `weighted` model. */
  readonly affinity?: string;
  /** The failover adds each attempt of the call to this list. */
  readonly attempts?: Attempt[] | undefined;
}

export interface OrderedCall<T> extends UnhedgedCall {
  readonly hedge?: Hedge<T> | undefined;
}

/** Maps a text to a number in (0, 1). */
const fractionOf = (text: string): number =>
  (createHash('sha256').update(text).digest().readUInt32BE() + 1) / (2 ** 32 + 1);

/**
 * Weighted rendezvous hashing: each route gets its share of all texts. A text keeps its route while that route is
 * ready, without any stored state.
 */
const lotOf = (route: ProviderRoute, affinity: string): number =>
  -Math.log(fractionOf(`${affinity}\n${keyOf(route)}`)) / (route.weight ?? 1);

const stepOf = (ms: number): number => Math.round(Math.log(Math.max(1, ms)) / Math.log(SPEED_STEP));

type Rank = (
  route: ProviderRoute,
  health: RouteHealth,
  call: Required<Pick<UnhedgedCall, 'work' | 'affinity'>>,
) => number;

/** Small ranks come first. Equal ranks keep the order of the catalog. */
const RANKS: Readonly<Record<Routing, Rank>> = {
  listed: () => 0,
  weighted: (route, _, { affinity }) => lotOf(route, affinity),
  cheapest: ({ cost = Number.MAX_VALUE }) => cost,
  // A route without a measurement comes first, so that its speed is measured.
  fastest: (_, health, { work }) => stepOf(health.speedMs(work) ?? 0),
};

/** The order in which the routes of a model are asked. Routes that failed more than half of their calls come last. */
export const inOrder = (
  model: RoutedModel,
  routes: readonly ProviderRoute[],
  call: UnhedgedCall,
  healthOf: (route: ProviderRoute) => RouteHealth,
  now: number,
): readonly ProviderRoute[] => {
  if (routes.length < 2) return routes;
  const rank = RANKS[model.routing ?? 'listed'];
  const { work, affinity = String(Math.random()) } = call;
  const ranked = routes.map((route) => {
    const health = healthOf(route);
    return { route, isUnreliable: health.isUnreliable(now), rank: rank(route, health, { work, affinity }) };
  });
  return ranked
    .sort((a, b) => Number(a.isUnreliable) - Number(b.isUnreliable) || a.rank - b.rank)
    .map(({ route }) => route);
};
