import { Injectable } from '@nestjs/common';

import { HealthParts, type PartState } from '../platform/telemetry/health-parts';

export interface Readiness {
  readonly status: 'ok' | 'degraded' | 'down' | 'draining';
  readonly parts: Readonly<Record<string, PartState>>;
}

/** Sums the parts up in one word, which is all that the outside may know. */
@Injectable()
export class HealthService {
  constructor(private readonly parts: HealthParts) {}

  async readiness(): Promise<Readiness> {
    const { ready, parts } = await this.parts.report();
    if (this.parts.draining) {
      return { status: 'draining', parts };
    }
    if (!ready) {
      return { status: 'down', parts };
    }
    const allWell = Object.values(parts).every((state) => state === 'ok');
    return { status: allWell ? 'ok' : 'degraded', parts };
  }
}
