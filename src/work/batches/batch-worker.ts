import { Inject, Injectable, Logger } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';

import { ChargeService } from '#money/billing/calls/charge.service';
import { DelegatedKeysService } from '#people/delegation/delegated-keys.service';
import { Catalog } from '#models/catalog/catalog';
import { NOT_OFFERED } from '#models/providers/routing/unsold-model.errors';
import { BackgroundWork } from '#platform/background/background-work';
import { Drain } from '#platform/http/drain';
import { INNER_HEADER, asLateCall } from '#platform/http/inner-calls';
import { REPLAY_EXPIRED } from '#kernel/common-codes';
import { callIn } from './batch-calls';
import { BatchEnds } from './batch-ends';
import { FAILED_HERE, type GivenUp, LINE_MISSING, answerLine, failedLine } from './batch-answers';
import { BatchLineRepository, type TakenLine } from './batch-line.repository';
import { BatchRepository } from './batch.repository';
import { TRIES_MAX, maySucceedLater, pauseAfter } from './batch-retries';
import type { Batch } from './batch.entity';
import { BatchVault } from './batch-vault';
import { keyMarkOf } from './batches.service';
import { SETTINGS } from '#platform/config/settings';
import type { BatchSettings } from './batches.settings';

/** A worker runs calls of one owner for this long, and then calls of the next owner. */
const TURN_MS = 5_000;
/** Well below the lease of a call. */
const RENEW_MS = 15_000;

interface Answer {
  readonly status: number;
  readonly requestId: string;
  readonly chargeId?: string;
  readonly body: unknown;
}

/**
 * Runs due calls of one owner's batches, a few at once. Each call goes to its route like any other call, and the
 * batch's key pays. Its idempotency key names its line, so a call that runs twice is charged once.
 */
@Injectable()
export class BatchWorker {
  private readonly logger = new Logger(BatchWorker.name);
  /** All running calls of this process. */
  private readonly leased = new Set<TakenLine>();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly batches: BatchRepository,
    private readonly lines: BatchLineRepository,
    private readonly catalog: Catalog,
    private readonly keys: DelegatedKeysService,
    private readonly charges: ChargeService,
    private readonly vault: BatchVault,
    private readonly ends: BatchEnds,
    private readonly drain: Drain,
    @Inject(SETTINGS) private readonly settings: BatchSettings,
    background: BackgroundWork,
  ) {
    background.every('Renewing calls of batches', RENEW_MS, () => this.renew());
  }

  /** True if the turn is over and there may be more due calls. */
  async run(owner: string): Promise<boolean> {
    const until = Date.now() + TURN_MS;
    const running = new Map<TakenLine, Promise<void>>();
    // A busy or unavailable vendor is not called again before the next turn.
    let mustPause = false;
    for (;;) {
      const isOver = mustPause || Date.now() >= until || this.drain.draining;
      const most = isOver ? 0 : this.settings.batches.callsAtOnce - running.size;
      for (const line of most > 0 ? await this.lines.take(owner, most) : []) {
        const work = this.leasedWhile(owner, line, async () => {
          if (await this.answer(owner, line)) mustPause = true;
        }).finally(() => running.delete(line));
        running.set(line, work);
      }
      if (running.size === 0) {
        await this.ends.endFinished();
        return isOver && !mustPause;
      }
      await Promise.race(running.values());
    }
  }

  /** Renews the lease of a call while it runs. */
  private async leasedWhile(owner: string, line: TakenLine, work: () => Promise<void>): Promise<void> {
    this.leased.add(line);
    try {
      await work();
    } catch (error) {
      this.logger.warn({ err: error }, 'A call of a batch failed; it runs again after its lease.');
      if (line.tries >= TRIES_MAX) await this.giveUp(owner, line);
    } finally {
      this.leased.delete(line);
    }
  }

  private async renew(): Promise<void> {
    if (this.leased.size > 0) await this.lines.renew([...this.leased]);
  }

  /** True if the call must run again later. */
  private async answer(owner: string, line: TakenLine): Promise<boolean> {
    const batch = await this.batches.byId(line.batchId);
    if (batch === undefined) return false;
    const sent = this.bodyOf(batch, line);
    if (sent === undefined) {
      await this.giveUp(owner, line, LINE_MISSING);
      return false;
    }
    const { status, requestId, chargeId, body } = await this.call(batch, line, sent);
    if (hasNoKey(status, body)) {
      await this.batches.cancel(batch.id);
      await this.lines.postpone(line, 0);
      return false;
    }
    if (chargeId !== undefined && codeOf(body) === REPLAY_EXPIRED.code) {
      // A process that died has charged it, and its answer is not kept any more.
      const charge = await this.charges.find(chargeId);
      const isOfBatch = charge?.keyId === batch.payingKeyId;
      if (isOfBatch && charge?.state === 'charged') await this.charges.refund(charge);
      await this.lines.postpone(line, 0, 1);
      return false;
    }
    const isUnsold = codeOf(body) === NOT_OFFERED.code && !this.isForSale(sent);
    if (maySucceedLater(status) && !isUnsold && line.tries < TRIES_MAX) {
      await this.lines.postpone(line, pauseAfter(line.tries));
      return true;
    }
    const text = answerLine(line, { status, requestId, body });
    await this.end(owner, line, status === 200 ? 'done' : 'failed', text);
    return false;
  }

  /** A vendor that does not know a model that is for sale may know it later. */
  private isForSale(sent: object): boolean {
    const { model } = sent as { readonly model?: string };
    const name = model ?? this.catalog.defaultText?.id;
    return name !== undefined && this.catalog.refusalOfName(name) === undefined;
  }

  private async end(owner: string, line: TakenLine, state: 'done' | 'failed', text: string): Promise<void> {
    await this.lines.finish({
      ...line,
      state,
      answer: this.vault.seal(owner, text),
      answerBytes: Buffer.byteLength(text),
    });
  }

  /**
   * Ends a call whose every try failed here, or whose line is gone, so that its batch ends. Its charge is refunded, because its answer was never
   * stored. While the charge is open, the call is tried again.
   */
  private async giveUp(owner: string, line: TakenLine, why: GivenUp = FAILED_HERE): Promise<void> {
    try {
      const batch = await this.batches.byId(line.batchId);
      if (batch === undefined) return;
      const chargeId = await this.lines.chargeOf(batch, markOf(line));
      const charge = chargeId === undefined ? undefined : await this.charges.find(chargeId);
      if (charge?.state === 'held' || charge?.state === 'settling') return;
      if (charge?.state === 'charged') await this.charges.refund(charge);
      await this.end(owner, line, 'failed', failedLine(line, why));
    } catch (error) {
      this.logger.warn(
        { err: error },
        'A call of a batch could not be ended; it runs again after its lease.',
      );
    }
  }

  /** The body of the call; undefined if its line is gone, or nobody can read it any more. */
  private bodyOf(batch: Batch, { sealed }: TakenLine): object | undefined {
    if (sealed === undefined) return undefined;
    try {
      return callIn(this.vault.open(batch.owner, sealed), batch.endpoint).body;
    } catch (error) {
      this.logger.error({ err: error, batchId: batch.id }, 'A line of a batch could not be read.');
      return undefined;
    }
  }

  private async call(batch: Batch, line: TakenLine, body: object): Promise<Answer> {
    const instance = this.host.httpAdapter.getInstance() as FastifyInstance;
    const { discountPercent } = batch;
    let answer: Answer | undefined;
    for (const secret of this.keys.secretsForWork(batch.owner, keyMarkOf(batch.id))) {
      const response = await asLateCall({ discountPercent }, (name) =>
        instance.inject({
          method: 'POST',
          url: batch.endpoint,
          headers: {
            'content-type': 'application/json',
            'x-api-key': secret,
            'idempotency-key': markOf(line),
            [INNER_HEADER]: name,
          },
          payload: JSON.stringify(body),
        }),
      );
      const { headers } = response;
      answer = {
        status: response.statusCode,
        requestId: String(headers['x-request-id'] ?? ''),
        chargeId: headers['x-charge-id'] as string | undefined,
        body: JSON.parse(response.payload) as unknown,
      };
      if (answer.status !== 401) break;
    }
    return answer!;
  }
}

/** The idempotency key of a call. After a refund it is another one. */
const markOf = ({ batchId, line, refunds }: TakenLine): string =>
  `${batchId}-${line}${refunds === 0 ? '' : `-${refunds}`}`;

/** The code of an error. An answer whose model is retired has the same status as an expired one. */
const codeOf = (body: unknown): unknown =>
  (body as { readonly error?: { readonly code?: unknown } | null } | null)?.error?.code;

/** The key has ended, or its account is closed, so the rest of the batch can't be paid. */
const hasNoKey = (status: number, body: unknown): boolean =>
  status === 401 && typeof (body as { readonly error?: unknown } | null)?.error === 'object';
