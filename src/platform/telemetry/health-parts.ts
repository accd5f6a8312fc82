import { Injectable, Logger } from '@nestjs/common';

export type PartState = 'ok' | 'degraded' | 'down';

export interface HealthPart {
  readonly name: string;
  /** Without a critical part no call can be served; the others only make some calls fail. */
  readonly critical: boolean;
  readonly check: () => Promise<PartState>;
}

export interface HealthReport {
  readonly ready: boolean;
  readonly parts: Readonly<Record<string, PartState>>;
}

const CHECK_MS_MAX = 1_000;
const CACHE_MS = 1_000;

interface Known {
  readonly part: HealthPart;
  state: PartState;
  readAt: number;
  /** The check under way. One that hangs is never started a second time. */
  running?: Promise<void>;
}

/** What the service is made of and how each part is. Parts register themselves; the health routes only read. */
@Injectable()
export class HealthParts {
  private readonly logger = new Logger(HealthParts.name);
  private readonly known = new Map<string, Known>();

  /** Set when the process has been told to stop: load balancers must look elsewhere from then on. */
  draining = false;

  register(part: HealthPart): void {
    if (this.known.has(part.name)) {
      throw new Error(`Two parts report their health as ${part.name}.`);
    }
    this.known.set(part.name, { part, state: 'ok', readAt: Number.NEGATIVE_INFINITY });
  }

  async report(): Promise<HealthReport> {
    const all = [...this.known.values()];
    await Promise.all(all.map((known) => this.refresh(known)));
    return {
      ready: !this.draining && all.every(({ part, state }) => !part.critical || state !== 'down'),
      parts: Object.fromEntries(
        // Only what stops the service is down; a part that it can do without makes it degraded.
        all.map(({ part, state }) => [part.name, state === 'down' && !part.critical ? 'degraded' : state]),
      ),
    };
  }

  private async refresh(known: Known): Promise<void> {
    if (performance.now() - known.readAt < CACHE_MS) {
      return;
    }
    known.running ??= this.check(known).finally(() => {
      known.running = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), CHECK_MS_MAX).unref();
    });
    const outcome = await Promise.race([known.running, late]);
    clearTimeout(timer);
    if (outcome === 'late') {
      this.settle(known, 'down', new Error('The check took too long.'));
    }
  }

  private async check(known: Known): Promise<void> {
    try {
      this.settle(known, await known.part.check());
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
