import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { HealthParts } from '../telemetry/health-parts';

/** Calls in flight have this long after SIGTERM; what is left is cut, so that the process is gone within 30 s. */
const PATIENCE_MS = 25_000;
const TICK_MS = 100;

/**
 * Ends service without breaking a call: no new connections, answers say `connection: close`, idle keep-alive
 * connections are closed as they fall idle. Without it one idle client holds the process for over a minute.
 */
@Injectable()
export class Drain implements BeforeApplicationShutdown {
  private readonly controller = new AbortController();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly health: HealthParts,
  ) {}

  /** Aborted when the drain begins; those who wait for something long answer at once instead. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get draining(): boolean {
    return this.controller.signal.aborted;
  }

  begin(): void {
    this.health.draining = true;
    this.controller.abort();
  }

  beforeApplicationShutdown(): void {
    this.begin();
    const server = this.host.httpAdapter?.getHttpServer() as
      ReturnType<NestFastifyApplication['getHttpServer']> | undefined;
    if (server === undefined || typeof server.closeIdleConnections !== 'function') {
      return;
    }
    const started = Date.now();
    const timer = setInterval(() => {
      server.closeIdleConnections();
      if (Date.now() - started > PATIENCE_MS) {
        server.closeAllConnections();
      }
      if (!server.listening && Date.now() - started > PATIENCE_MS + TICK_MS * 10) clearInterval(timer);
    }, TICK_MS).unref();
    server.closeIdleConnections();
  }
}
