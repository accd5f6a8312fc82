import { setMaxListeners } from 'node:events';
import { Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply } from 'fastify';

import { HealthParts } from '../health/health-parts';

/**
 * Calls in flight may continue for this time after SIGTERM. Then the service cuts them, so that the process ends within
 * 30 s.
 */
const PATIENCE_MS = 25_000;
/** Streams that still run at this time end with an error event, because there is still time to send it. */
const LAST_CALL_MS = 23_000;
/** A busy client sends its next call within this time. The answer then contains `connection: close`. */
const IDLE_GRACE_MS = 1_000;
const TICK_MS = 20;

/**
 * Stops serving without breaking a call: it accepts no new connections, answers with `connection: close`, and closes
 * idle connections a moment later. Node would close idle connections at once and so break a call in transit. If they
 * stayed open, one idle client would delay the end of the process by over a minute.
 */
@Injectable()
export class Drain implements OnModuleInit, BeforeApplicationShutdown {
  private readonly controller = new AbortController();
  private readonly farewell = new AbortController();
  /** Connections without a request so far. Node does not count them as idle, so the drain closes them itself. */
  private readonly silent = new Set<Socket>();
  private since = 0;
  private beforeCut?: NodeJS.Timeout;

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly health: HealthParts,
  ) {
    // Every stream and every waiter listens to these signals.
    setMaxListeners(0, this.controller.signal, this.farewell.signal);
  }

  /** Aborted when the drain begins, so that calls that wait answer at once. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborted shortly before the remaining calls are cut, so that streams can end properly. */
  get lastCall(): AbortSignal {
    return this.farewell.signal;
  }

  get draining(): boolean {
    return this.controller.signal.aborted;
  }

  begin(): void {
    this.health.draining = true;
    this.controller.abort();
    this.since = Date.now();
    this.beforeCut = setTimeout(() => this.farewell.abort(), LAST_CALL_MS).unref();
  }

  /** While the service drains, each answer is the last one on its connection. */
  closeConnection(reply: FastifyReply): void {
    if (this.draining) void reply.header('connection', 'close');
  }

  onModuleInit(): void {
    const server = this.instance?.server;
    server?.on('connection', (socket: Socket) => {
      this.silent.add(socket);
      socket.once('close', () => this.silent.delete(socket));
    });
    server?.on('request', ({ socket }) => this.silent.delete(socket));
    // Fastify considers a server that no longer listens as closed, so this hook itself waits for the calls in flight.
    this.instance?.addHook('preClose', () => this.untilCallsEnd());
  }

  beforeApplicationShutdown(): void {
    this.begin();
    const server = this.instance?.server;
    if (server?.listening === true) {
      // Closing the HTTP server would cut idle connections at once; this call only stops listening.
      Server.prototype.close.call(server);
    }
  }

  private get instance(): FastifyInstance | undefined {
    return this.host.httpAdapter?.getInstance() as FastifyInstance | undefined;
  }

  private async untilCallsEnd(): Promise<void> {
    const server = this.instance?.server;
    if (server === undefined) {
      return;
    }
    while ((await connectionsOf(server)) > 0) {
      const elapsed = Date.now() - this.since;
      if (elapsed > PATIENCE_MS) server.closeAllConnections();
      else if (elapsed > IDLE_GRACE_MS) {
        server.closeIdleConnections();
        for (const socket of this.silent) socket.destroy();
      }
      await pause(TICK_MS);
    }
    clearTimeout(this.beforeCut);
  }
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.getConnections((error, count) => resolve(error === null ? count : 0));
  });
