import { Injectable, Logger, ServiceUnavailableException } from '@nestjs/common';
import { type HealthCheckResult, HealthCheckService, type HealthIndicatorResult } from '@nestjs/terminus';
import { within } from '#kernel/deadline';

export type PartState = 'ok' | 'degraded' | 'down';

export interface HealthPart {
  readonly name: string;
  /** Whether the service can serve no call while this part fails. If another part fails, only some calls fail. */
  readonly critical: boolean;
  /** A Terminus indicator, or a state. An error, or no answer within a second, counts as `down`. */
  readonly check: () => Promise<PartState | HealthIndicatorResult> | HealthIndicatorResult;
}

export interface HealthReport {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, PartState>>;
}

type Indicated = HealthIndicatorResult<string, 'up' | 'down', { readonly state: PartState }>;

const CHECK_MS_MAX = 1_000;
const CACHE_MS = 1_000;

interface Known {
  readonly part: HealthPart;
  state: PartState;
  readAt: number;
  /** The running check. While it hangs, no second check starts. */
  running?: Promise<void>;
}

const stateOf = (checked: PartState | HealthIndicatorResult): PartState => {
  if (typeof checked === 'string') return checked;
  return Object.values(checked).every(({ status }) => status === 'up') ? 'ok' : 'down';
};

/** The health of each part of the service. Modules register their parts; the health routes only read them. */
@Injectable()
export class HealthParts {
  private readonly logger = new Logger(HealthParts.name);
  private readonly known = new Map<string, Known>();

  constructor(private readonly checks: HealthCheckService) {}

  /** Set when the process stops, so that load balancers send traffic elsewhere. */
  draining = false;

  register(part: HealthPart): void {
    if (this.known.has(part.name)) throw new Error(`Two parts report their health as ${part.name}.`);
    this.known.set(part.name, { part, state: 'ok', readAt: Number.NEGATIVE_INFINITY });
  }

  async report(): Promise<HealthReport> {
    const { status, details } = await this.checks
      .check([...this.known.values()].map((known) => () => this.indicate(known)))
      .catch(resultOf);
    return {
      ready: !this.draining && status === 'ok',
      parts: Object.fromEntries(
        Object.entries(details as Indicated).map(([name, { state }]) => [name, state]),
      ),
    };
  }

  /** `down` if a critical part fails; `degraded` if another part fails. */
  private async indicate(known: Known): Promise<Indicated> {
    await this.refresh(known);
    const { part, state } = known;
    const isDown = part.critical && state === 'down';
    const shown = state === 'down' && !isDown ? 'degraded' : state;
    return { [part.name]: { status: isDown ? 'down' : 'up', state: shown } };
  }

  private async refresh(known: Known): Promise<void> {
    if (performance.now() - known.readAt < CACHE_MS) return;
    known.running ??= this.check(known).finally(() => {
      known.running = undefined;
    });
    await within(CHECK_MS_MAX, known.running, () =>
      this.settle(known, 'down', new Error('The check took too long.')),
    );
  }

  private async check(known: Known): Promise<void> {
    try {
      this.settle(known, stateOf(await known.part.check()));
    } catch (error) {
      this.settle(known, 'down', error);
    }
  }

  private settle(known: Known, state: PartState, error?: unknown): void {
    if (state !== known.state) {
      const sentence = `${known.part.name} was ${known.state} and is ${state} now.`;
      this.logger[state === 'ok' ? 'log' : 'warn'](error === undefined ? {} : { err: error }, sentence);
    }
    known.state = state;
    known.readAt = performance.now();
  }
}

/** Terminus throws the result of a failing check. */
const resultOf = (error: unknown): HealthCheckResult => {
  if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
  throw error;
};
