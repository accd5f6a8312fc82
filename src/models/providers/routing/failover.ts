import { Injectable, Logger } from '@nestjs/common';

import { within } from '#kernel/deadline';
import { noteInTrace } from '#platform/telemetry/traces';
import { isUnknownModel, pauseMsOf } from '../http/provider-fault';
import { type Attempt, noteAttempt } from '../attempts';
import { AnswerLost, NotServed, ProviderUnavailable, WorkGivenUp } from '../providers.errors';
import { NothingServes, retired } from './unsold-model.errors';
import { type ProviderRoute, type RoutedModel, isRetired } from './route';
import { type Hedge, type OrderedCall, type UnhedgedCall, inOrder } from './route-order';
import { RouteRecords } from './route-records';

/**
 * Sends work to the first route that accepts it. Each route has a circuit breaker: a route that keeps failing gets no
 * calls for a while. The time doubles each time, and then one call tries the route. The circuit breaker only chooses between
 * routes. If the circuit breakers of all routes are open, calls use the routes anyway. If vendors asked for a pause on
 * all of them, one call at a time tries each. So one odd answer never stops the sale of a model.
 */
@Injectable()
export class Failover {
  private readonly logger = new Logger(Failover.name);

  constructor(private readonly records: RouteRecords) {}

  /**
   * Tries the next route only if the route before certainly did not accept the work. A lost answer or a refusal ends
   * the call. With a hedge, two routes may work at once: the first answer is used, and the other request is aborted.
   */
  async first<T>(model: RoutedModel, call: OrderedCall<T>, work: RouteCall<T>): Promise<T> {
    if (isRetired(model, Date.now())) throw retired(model);
    if (model.routes.length === 0) throw new NothingServes(model.id);
    const run = new Run(this.records, call, work);
    try {
      const routes = [...this.choose(model, call)];
      for (let next = routes.shift(); next !== undefined; next = routes.shift()) {
        const { hedge } = call;
        const other = hedge === undefined || run.isHedged ? undefined : routes[0];
        const end =
          hedge === undefined || other === undefined
            ? await run.attempt(next)
            : await run.hedged(next, other, hedge);
        if (other !== undefined && run.isHedged) routes.shift();
        if ('answer' in end) return end.answer;
        if (!end.goesOn) break;
      }
    } finally {
      noteInTrace({
        'lamppost.routing': model.routing ?? 'listed',
        'lamppost.routes': run.tried,
        ...(run.isHedged ? { 'lamppost.hedged': 'true' } : {}),
      });
    }
    if (run.unknown.length > 0) {
      this.logger.error(
        { model: model.id, routes: run.unknown },
        'The vendors of these routes do not have the model, or their address is wrong. Correct the routes, or switch the model off.',
      );
      // A repetition would fail again, unless the circuit breaker of another route is open.
      if (run.unknown.length === model.routes.length) throw new NothingServes(model.id);
    }
    throw run.last ?? new ProviderUnavailable();
  }

  private choose(model: RoutedModel, call: UnhedgedCall): readonly ProviderRoute[] {
    const now = Date.now();
    const healthOf = (route: ProviderRoute) => this.records.of(route);
    const ready = model.routes.filter((route) => healthOf(route).isReady(now));
    const routes = ready.length > 0 ? ready : model.routes.filter((route) => healthOf(route).isUsable(now));
    if (routes.length === 0) {
      const waitMs = Math.min(...model.routes.map((route) => healthOf(route).pausedMs(now)));
      throw new ProviderUnavailable(undefined, Math.max(1, Math.ceil(waitMs / 1_000)));
    }
    return inOrder(model, routes, call, healthOf, now);
  }
}

/** `signal` is aborted when another route answers first. */
export type RouteCall<T> = (route: ProviderRoute, signal?: AbortSignal) => Promise<T>;

type End<T> = { readonly answer: T } | { readonly error: unknown; readonly goesOn: boolean };

/** The attempts of one call. */
class Run<T> {
  readonly tried: string[] = [];
  /** The routes whose vendor does not have the model. */
  readonly unknown: string[] = [];
  isHedged = false;
  last: unknown;

  constructor(
    private readonly records: RouteRecords,
    private readonly call: OrderedCall<T>,
    private readonly work: RouteCall<T>,
  ) {}

  async attempt(route: ProviderRoute, signal?: AbortSignal): Promise<End<T>> {
    this.tried.push(route.provider);
    const health = this.records.of(route);
    const started = performance.now();
    health.begin(Date.now());
    try {
      const answer = await this.work(route, signal);
      if (signal?.aborted === true) health.abstain();
      else {
        health.answered(this.call.work, performance.now() - started, Date.now());
        noteAttempt(this.call.attempts, 'accepted', started);
      }
      return { answer };
    } catch (error) {
      if (signal?.aborted === true) {
        health.abstain(); // We aborted the request, so its failure says nothing about the route.
        return { error, goesOn: false };
      }
      noteAttempt(this.call.attempts, outcomeOf(error), started);
      return { error, goesOn: this.failed(route, error) };
    }
  }

  /** Asks the second route if the first one does not answer in time. */
  async hedged(route: ProviderRoute, other: ProviderRoute, hedge: Hedge<T>): Promise<End<T>> {
    const slow = new Racer(route, (signal) => this.attempt(route, signal));
    const early = await slow.within(hedge.afterMs);
    if (early !== undefined) return early;
    this.isHedged = true;
    const quick = new Racer(other, (signal) => this.attempt(other, signal));
    const winner = await Promise.race([slow.end.then(() => slow), quick.end.then(() => quick)]);
    const loser = winner === slow ? quick : slow;
    const end = await winner.end;
    if (!('answer' in end)) {
      const second = await loser.end;
      // After two failures, the next route is tried only if certainly neither vendor did the work.
      if ('answer' in second || end.goesOn) return second;
      this.last = end.error;
      return end;
    }
    // If the other request has failed by itself, there is nothing to abort or discard.
    if (loser.isOver && !('answer' in (await loser.end))) return end;
    loser.abort();
    hedge.lost(loser.route);
    loser.end.then(
      (late) => ('answer' in late ? hedge.discard(late.answer) : undefined),
      () => undefined,
    );
    return end;
  }

  /** Records the failure, and returns whether the next route may be tried. */
  private failed(route: ProviderRoute, error: unknown): boolean {
    const health = this.records.of(route);
    if (error instanceof NotServed) {
      health.abstain();
      this.last ??= error; // The provider is healthy; it only can't serve this request.
      return true;
    }
    this.last = error;
    if (isUnknownModel(error)) this.unknown.push(`${route.provider} ${route.model}`);
    if (!(error instanceof ProviderUnavailable) || error instanceof WorkGivenUp) {
      health.abstain();
      return false;
    }
    health.failed(Date.now());
    const pauseMs = pauseMsOf(error);
    if (pauseMs !== undefined) this.records.pause(route, pauseMs);
    return !(error instanceof AnswerLost);
  }
}

/** One of two requests for the same answer. */
class Racer<T> {
  isOver = false;
  readonly end: Promise<End<T>>;
  private readonly controller = new AbortController();

  constructor(
    readonly route: ProviderRoute,
    ask: (signal: AbortSignal) => Promise<End<T>>,
  ) {
    this.end = ask(this.controller.signal).finally(() => {
      this.isOver = true;
    });
  }

  abort(): void {
    this.controller.abort(new Error('Another route answered first.'));
  }

  /** Undefined if the request takes longer than `ms`. */
  within(ms: number): Promise<End<T> | undefined> {
    return within(ms, this.end, () => undefined);
  }
}

const outcomeOf = (error: unknown): Attempt['outcome'] => {
  if (error instanceof NotServed) return 'unserved';
  const endsTheCall = error instanceof WorkGivenUp || error instanceof AnswerLost;
  return error instanceof ProviderUnavailable && !endsTheCall ? 'unavailable' : 'failed';
};
