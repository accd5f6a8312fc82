import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';

import { abortAfter } from '#kernel/deadline';
import type { BackgroundTask } from '#platform/background/background-task';
import { BackgroundWork } from '#platform/background/background-work';
import { Owners, type ProvenOwner } from '#money/billing/calls/owners';
import { SseReply } from '#platform/http/answers/sse-reply';
import { Drain } from '#platform/http/drain';
import { outerOf } from '#platform/http/inner-calls';
import { callerOf } from '#platform/http/limits/caller-address';
import { StreamLimits, STREAM_LIFE_MS, STREAM_JITTER_MS, PROVE_EVERY_MS } from './stream-limits';

const BREATHE_EVERY_MS = 15_000;

/** Aborted when the caller has disconnected or has the answer. */
export const leaving = ({ raw }: FastifyReply): AbortSignal => {
  const left = new AbortController();
  raw.once('close', () => left.abort());
  if (raw.destroyed) left.abort();
  return left.signal;
};

interface Open {
  readonly owner?: ProvenOwner;
  sse?: SseReply;
}

/** Open streams and long polls. Both end with the service, and soon after their caller's credential has ended. */
@Injectable()
export class EventStreams implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(EventStreams.name);
  private readonly open = new Map<AbortController, Open>();
  private readonly tasks: BackgroundTask[] = [];

  constructor(
    private readonly limits: StreamLimits,
    private readonly owners: Owners,
    private readonly drain: Drain,
    private readonly background: BackgroundWork,
  ) {}

  onModuleInit(): void {
    this.tasks.push(
      this.background.every('Keeping streams open', BREATHE_EVERY_MS, () =>
        this.open.forEach(({ sse }) => sse?.breathe()),
      ),
      this.background.every('Proving the callers of open streams', PROVE_EVERY_MS, () => this.proveAgain()),
    );
    this.drain.signal.addEventListener('abort', () => this.open.forEach((_, ending) => ending.abort()));
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.tasks.map((task) => task.stop()));
  }

  /**
   * Runs a stream. `write` writes it, and returns after the last event. An error ends the stream, and its reader
   * reconnects with the last id.
   */
  async stream(
    request: FastifyRequest,
    reply: FastifyReply,
    owner: ProvenOwner | undefined,
    write: (sse: SseReply) => Promise<void>,
  ): Promise<void> {
    await this.during(
      request,
      owner,
      STREAM_LIFE_MS + Math.random() * STREAM_JITTER_MS,
      async (ending, open) => {
        const sse = new SseReply(reply, ending.signal, this.drain.lastCall);
        open.sse = sse;
        sse.open();
        try {
          await write(sse);
        } catch (error) {
          this.logger.warn({ err: error }, 'A stream of events broke off; its reader reconnects.');
        } finally {
          sse.end();
        }
      },
    );
  }

  /** A long poll of at most this many seconds. It also ends with the service, and when the caller has `left`. */
  async wait<T>(
    request: FastifyRequest,
    left: AbortSignal,
    owner: ProvenOwner | undefined,
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
    owner: ProvenOwner | undefined,
    milliseconds: number,
    work: (ending: AbortController, open: Open) => Promise<T>,
  ): Promise<T> {
    const leave = await this.limits.take(
      callerOf(outerOf(request) ?? request),
      owner?.id,
      owner?.view.onlyKey,
    );
    const ending = new AbortController();
    const open: Open = { owner };
    this.open.set(ending, open);
    if (this.drain.draining) ending.abort();
    try {
      return await abortAfter(milliseconds, ending, () => work(ending, open));
    } finally {
      this.open.delete(ending);
      leave();
    }
  }

  /** Ends streams whose key or session has ended, with one query for all open streams of this process. */
  private async proveAgain(): Promise<void> {
    const proven = [...this.open].filter(([, { owner }]) => owner !== undefined);
    if (proven.length === 0) return;
    const ended = await this.owners.endedOf(proven.map(([, { owner }]) => owner!));
    for (const [ending, { owner }] of proven) if (ended.has(owner!)) ending.abort();
  }
}
