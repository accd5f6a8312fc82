import { Injectable, Logger } from '@nestjs/common';

import { Sanctions } from '#people/identity/sanctions';
import { newId } from '#kernel/ids';
import { Slots } from '#kernel/slots';
import { StatementBatcher } from '#platform/database/statement-batcher';
import { Drain } from '#platform/http/drain';
import { WebhooksMetrics } from './webhooks.metrics';
import type { Exchange } from './webhook-exchange';
import { secondsUntilNext } from './retry-schedule';
import { type Finished, type TakenDelivery, WebhookDeliveryRepository } from './webhook-delivery.repository';
import { WebhookMessages } from './webhook-messages';
import { WebhookNotifier } from './webhook-notifier';
import { type Attempt, WebhookSender } from './webhook-sender';

/** A worker sends to one host for this long, and then takes the next host. */
const TURN_MS = 10_000;
/** A worker looks for due deliveries this often, because a notification can be lost. */
const CHECK_EVERY_MS = 1_000;
/** Deliveries that one process sends at once. Each host that a worker has gets at least one. */
const IN_HAND_MAX = 200;
/**
 * Concurrent statements that take deliveries. None of them sees the rows that the others are taking, so there are few.
 */
const TAKES_AT_ONCE = 8;

type Outcome = Pick<Finished, 'outcome'> & Omit<Attempt, 'outcome'> & { readonly exchange?: Exchange };

const FORGOTTEN: Outcome = { outcome: 'forgotten', error: 'its event is no longer kept' };
const BLOCKED: Outcome = { outcome: 'forgotten', error: 'the wallet cannot be served' };

/** The running work for one host. */
interface HostRun {
  readonly underWay: Set<Promise<void>>;
  /** For each endpoint, a promise that resolves when its newest try has begun. */
  readonly begun: Map<string, Promise<void>>;
}

/**
 * Sends due deliveries to one host, until there are none or the worker's turn is over. The queue gives a host to one
 * process at a time. After a crash, the next process finds the unfinished deliveries in the rows.
 */
@Injectable()
export class WebhookHostWorker {
  private readonly logger = new Logger(WebhookHostWorker.name);
  /** The name of this process in the rows that it takes. */
  private readonly me = newId('wrk');
  private readonly results: StatementBatcher<Finished, true>;
  private readonly room = new Slots(IN_HAND_MAX, { perKey: 'free' });
  private readonly takes = new Slots(TAKES_AT_ONCE);

  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly messages: WebhookMessages,
    private readonly sender: WebhookSender,
    private readonly sanctions: Sanctions,
    private readonly notifier: WebhookNotifier,
    private readonly drain: Drain,
    private readonly metrics: WebhooksMetrics,
  ) {
    this.results = new StatementBatcher<Finished, true>({
      batch: async (finished) => {
        await this.deliveries.finish(finished);
        return finished.map(() => true);
      },
    });
  }

  /** True if the turn is over and there may be more due deliveries. */
  async run(host: string): Promise<boolean> {
    const until = Date.now() + TURN_MS;
    const run: HostRun = { underWay: new Set(), begun: new Map() };
    for (;;) {
      const waited = new AbortController();
      // It subscribes before the query, so that no notification is missed in between.
      const moved = this.notifier.next(
        host,
        CHECK_EVERY_MS,
        AbortSignal.any([waited.signal, this.drain.signal]),
      );
      const isOver = Date.now() >= until || this.drain.draining;
      if (!isOver) await this.begin(host, run);
      const isIdle = run.underWay.size === 0;
      if (!isIdle) await Promise.race([...run.underWay, ...(isOver ? [] : [moved])]);
      waited.abort();
      await moved;
      if (isIdle) return isOver;
    }
  }

  private async begin(host: string, run: HostRun): Promise<void> {
    const taken = await this.takes.run(() => this.take(host));
    const bodies = this.messages.bodiesOf(taken);
    for (const [index, delivery] of taken.entries()) {
      const work = this.inOrder(delivery, bodies, index, run).finally(() => {
        run.underWay.delete(work);
        this.room.giveBack(delivery.owner);
      });
      run.underWay.add(work);
    }
    await bodies;
  }

  private async take(host: string): Promise<TakenDelivery[]> {
    const taken = this.room.free <= 0 ? [] : await this.deliveries.take(host, this.me, this.room.fullKeys());
    for (const { owner } of taken) this.room.use(owner);
    return taken;
  }

  /** A try begins when the previous one has sent its first byte, or has ended without sending. */
  private async inOrder(
    delivery: TakenDelivery,
    bodies: Promise<readonly (string | undefined)[]>,
    index: number,
    { begun }: HostRun,
  ): Promise<void> {
    const before = begun.get(delivery.target);
    let begin: () => void = () => undefined;
    begun.set(delivery.target, new Promise<void>((resolve) => (begin = resolve)));
    try {
      await before;
      await this.send(delivery, (await bodies)[index], begin);
    } catch (error) {
      this.logger.warn(
        { err: error },
        'The result of a delivery could not be stored; the delivery is sent again.',
      );
    } finally {
      begin();
    }
  }

  private async send(delivery: TakenDelivery, body: string | undefined, onSent: () => void): Promise<void> {
    const { target, eventId, tries, type } = delivery;
    const { outcome, status, error, retryAfterSeconds, exchange } = await this.tried(delivery, body, onSent);
    this.metrics.tried(outcome);
    await this.results.add({
      target,
      eventId,
      outcome,
      status,
      error,
      seconds: secondsUntilNext(tries + 1, Math.random(), retryAfterSeconds),
      pauseSeconds: retryAfterSeconds,
      noticeId: newId('evt'),
      exchange: exchange && { ...exchange, id: newId('try'), type },
    });
  }

  private async tried(
    delivery: TakenDelivery,
    body: string | undefined,
    onSent: () => void,
  ): Promise<Outcome> {
    const { eventId, url, owner } = delivery;
    if (this.sanctions.isBlocked(owner)) return BLOCKED;
    if (body === undefined) return FORGOTTEN;
    const message = { id: eventId, url, body, secrets: this.messages.secretsOf(delivery) };
    const { attempt, exchange } = await this.sender.send(message, onSent);
    return { ...attempt, exchange };
  }
}
