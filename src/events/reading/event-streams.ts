import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { SseReply } from '../../platform/http/answers/sse-reply';
import { Drain } from '../../platform/http/drain';
import { outerOf } from '../../platform/http/inner-calls';
import { callerOf } from '../../platform/http/limits/caller-address';
import { StreamPlaces } from './stream-places';

/** Within 15 minutes; those that began together do not come again together. */
const LIFE_MS = 13.5 * 60_000;
const JITTER_MS = 60_000;
const BREATHE_EVERY_MS = 15_000;

/** Aborted when whoever waits for an answer has hung up, or has it. */
export const leaving = ({ raw }: FastifyReply): AbortSignal => {
  const left = new AbortController();
  raw.once('close', () => left.abort());
  if (raw.destroyed) left.abort();
  return left.signal;
};

/** What is open to callers for long: streams, and answers that wait. Both end when the service does. */
@Injectable()
export class EventStreams implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(EventStreams.name);
  private readonly open = new Map<AbortController, SseReply | undefined>();
  private timer?: NodeJS.Timeout;

  constructor(
    private readonly places: StreamPlaces,
    private readonly drain: Drain,
  ) {}

  onModuleInit(): void {
    this.timer = setInterval(() => this.open.forEach((sse) => sse?.breathe()), BREATHE_EVERY_MS).unref();
    this.drain.signal.addEventListener('abort', () => this.open.forEach((_, ending) => ending.abort()));
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /**
   * Streams what `tell` says, which returns when it has said all. What goes wrong ends the stream: its reader comes again,
   * and goes on behind the last that it has seen.
   */
  async stream(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: string | undefined,
    tell: (sse: SseReply) => Promise<void>,
  ): Promise<void> {
    await this.during(request, owner, LIFE_MS + Math.random() * JITTER_MS, async (ending) => {
      const sse = new SseReply(reply, ending.signal, this.drain.lastCall);
      this.open.set(ending, sse);
      sse.open();
      try {
        await tell(sse);
      } catch (error) {
        this.logger.warn({ err: error }, 'A stream of events was broken off; its reader comes again.');
      } finally {
        sse.end();
      }
    });
  }

  /** A wait of so long at most, which ends with the service, too, and when whoever waits has `left`. */
  async wait<T>(
    request: FastifyRequest,
    left: AbortSignal,
    owner: string | undefined,
    seconds: number,
    work: (over: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.during(request, owner, seconds * 1_000, async (ending) => {
      const end = (): void => ending.abort();
      left.addEventListener('abort', end);
      if (left.aborted) end();
      try {
        return await work(ending.signal);
      } finally {
        left.removeEventListener('abort', end);
      }
    });
  }

  private async during<T>(
    request: FastifyRequest,
    owner: string | undefined,
    milliseconds: number,
    work: (ending: AbortController) => Promise<T>,
  ): Promise<T> {
    const leave = this.places.take(callerOf(outerOf(request) ?? request), owner);
    const ending = new AbortController();
    const timer = setTimeout(() => ending.abort(), milliseconds).unref();
    this.open.set(ending, undefined);
    if (this.drain.draining) ending.abort();
    try {
      return await work(ending);
    } finally {
      clearTimeout(timer);
      this.open.delete(ending);
      leave();
    }
  }
}
