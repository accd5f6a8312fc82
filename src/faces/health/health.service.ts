import { Injectable } from '@nestjs/common';

import { BackgroundWork } from '#platform/background/background-work';
import { HealthParts, type PartState } from '#platform/health/health-parts';

export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'down' | 'draining';
  readonly parts: Readonly<Record<string, PartState>>;
  /** The background tasks that are failing, with the seconds since their first failure. */
  readonly failing?: Readonly<Record<string, number>>;
}

/** Shows callers the states of all parts, and one word for the whole service. */
@Injectable()
export class HealthService {
  constructor(
    private readonly parts: HealthParts,
    private readonly background: BackgroundWork,
  ) {}

  async readiness(): Promise<Readiness> {
    const { ready, parts } = await this.parts.report();
    const failing = Object.entries(this.background.failing());
    const report = {
      parts,
      ...(failing.length > 0 && {
        failing: Object.fromEntries(failing.map(([name, seconds]) => [name, Math.round(seconds)])),
      }),
    };
    if (this.parts.draining) return { status: 'draining', ...report };
    if (!ready) return { status: 'down', ...report };
    const allWell = Object.values(parts).every((state) => state === 'ok');
    return { status: allWell ? 'ok' : 'degraded', ...report };
  }
}
