const MINUTE_MS = 60_000;
/** The number of minutes for which an outcome counts. */
const MINUTES = 5;
/** A route with fewer calls than this is not judged by its share of failures. */
const CALLS_MIN = 4;
const FAILURES_IN_A_ROW = 3;
/** How long a circuit breaker stays open. The time doubles with each further failure. */
const OPEN_MS_MIN = 5_000;
const OPEN_MS_MAX = 300_000;
/** The longest pause. A vendor may ask for a day, but operators prefer one refused call each minute. */
export const PAUSE_MS_MAX = 60_000;
/** The share of a new measurement in the moving average. */
const SPEED_SHARE = 0.2;

/** Speeds are compared only within one kind of work: the first piece of a stream is not a whole answer. */
export type RouteWork = 'answer' | 'stream' | 'submission';

/**
 * `open`: the route keeps failing and gets no calls for a while. `half-open`: after this time, one call tries the
 * route. `paused`: the vendor named a time to wait, which has not passed.
 */
export type RouteState = 'closed' | 'open' | 'half-open' | 'paused';

interface Minute {
  readonly at: number;
  calls: number;
  failures: number;
}

/** The health of one route in this process: its circuit breaker, and its failures and speed of the last minutes. */
export class RouteHealth {
  private failuresInARow = 0;
  private openUntil = 0;
  private pausedUntil = 0;
  private isTried = false;
  private minutes: Minute[] = [];
  private readonly speeds = new Map<RouteWork, number>();

  state(now: number): RouteState {
    if (this.pausedUntil > now) return 'paused';
    if (this.failuresInARow < FAILURES_IN_A_ROW) return 'closed';
    return this.openUntil > now ? 'open' : 'half-open';
  }

  /**
   * Whether a call may use the route now. A half-open route gets one call; others wait until that call has ended.
   */
  isReady(now: number): boolean {
    const state = this.state(now);
    return state === 'closed' || (state === 'half-open' && !this.isTried);
  }

  /** Whether a call without another route may use this one. A paused route gets one call at a time. */
  isUsable(now: number): boolean {
    return this.state(now) !== 'paused' || !this.isTried;
  }

  pausedMs(now: number): number {
    return Math.max(0, this.pausedUntil - now);
  }

  /** Returns whether this pause ends later than the known pause. */
  pause(ms: number, now: number): boolean {
    if (now + ms <= this.pausedUntil) return false;
    this.pausedUntil = now + ms;
    return true;
  }

  begin(now: number): void {
    const state = this.state(now);
    if (state === 'half-open' || state === 'paused') this.isTried = true;
  }

  /** Called when a call has ended without any information about the health of the route. */
  abstain(): void {
    this.isTried = false;
  }

  answered(work: RouteWork, ms: number, now: number): void {
    this.isTried = false;
    this.pausedUntil = 0;
    // Failures from before the recovery do not count any more.
    if (this.failuresInARow >= FAILURES_IN_A_ROW) this.minutes = [];
    this.failuresInARow = 0;
    this.minute(now).calls += 1;
    const before = this.speeds.get(work);
    this.speeds.set(work, before === undefined ? ms : before + SPEED_SHARE * (ms - before));
  }

  failed(now: number): void {
    this.isTried = false;
    this.failuresInARow += 1;
    const minute = this.minute(now);
    minute.calls += 1;
    minute.failures += 1;
    const times = this.failuresInARow - FAILURES_IN_A_ROW;
    if (times >= 0) this.openUntil = now + Math.min(OPEN_MS_MAX, OPEN_MS_MIN * 2 ** times);
  }

  recent(now: number): { readonly calls: number; readonly failures: number } {
    const minutes = this.minutes.filter(({ at }) => at > now - MINUTES * MINUTE_MS);
    const sum = (of: (minute: Minute) => number): number => minutes.reduce((all, one) => all + of(one), 0);
    return { calls: sum(({ calls }) => calls), failures: sum(({ failures }) => failures) };
  }

  isUnreliable(now: number): boolean {
    const { calls, failures } = this.recent(now);
    return calls >= CALLS_MIN && failures * 2 > calls;
  }

  /** A moving average. Undefined before the first answer. */
  speedMs(work: RouteWork): number | undefined {
    return this.speeds.get(work);
  }

  private minute(now: number): Minute {
    const last = this.minutes.at(-1);
    if (last !== undefined && last.at > now - MINUTE_MS) return last;
    const next = { at: now, calls: 0, failures: 0 };
    this.minutes = [...this.minutes.slice(1 - MINUTES), next];
    return next;
  }
}
