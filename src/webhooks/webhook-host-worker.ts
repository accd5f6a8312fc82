import { Injectable, Logger } from '@nestjs/common';

import { Sanctions } from '../identity/sanctions';
import { newId } from '../kernel/ids';
import { Slots } from '../kernel/slots';
import { StatementBatcher } from '../platform/database/statement-batcher';
import { Drain } from '../platform/http/drain';
import { Metrics } from '../platform/telemetry/metrics';
import { FairSlots } from './fair-slots';
import { secondsUntilNext } from './retry-schedule';
import { type Finished, type TakenDelivery, WebhookDeliveryRepository } from './webhook-delivery.repository';
import { WebhookMessages } from './webhook-messages';
import { WebhookNotifier } from './webhook-notifier';
import { type Attempt, WebhookSender } from './webhook-sender';

/** A host has its turn for so long; then those behind it have theirs. */
const TURN_MS = 10_000;
/** News can be missed. */
const LOOK_EVERY_MS = 1_000;
/** Deliveries that one process has in hand at once. Each host that has its turn has one at least. */
const IN_HAND_MAX = 200;
/** Looks for deliveries at once: none of them knows what the others are about to take. */
const TAKES_AT_ONCE = 8;

type Outcome = Pick<Finished, 'outcome'> & Omit<Attempt, 'outcome'>;

const FORGOTTEN: Outcome = { outcome: 'forgotten', error: 'its event is no longer kept' };
const BLOCKED: Outcome = { outcome: 'forgotten', error: 'the wallet can not be served' };

/** What is under way in one turn. */
interface HostRun {
  readonly underWay: Set<Promise<void>>;
  /** Of each endpoint: until its newest try has begun. */
  readonly begun: Map<string, Promise<void>>;
}

/**
 * Brings what is due to one host, for as long as something is, or its turn lasts. The queue lets one process at a time do
 * so for a host; who takes over from a dead one finds in the rows what that had in hand.
 */
@Injectable()
export class WebhookHostWorker {
  private readonly logger = new Logger(WebhookHostWorker.name);
  /** Which process this is, in the rows that it takes. */
  private readonly me = newId('wrk');
  private readonly results: StatementBatcher<Finished, true>;
  private readonly room = new FairSlots(IN_HAND_MAX);
  private readonly takes = new Slots(TAKES_AT_ONCE);

  constructor(
    private readonly deliveries: WebhookDeliveryRepository,
    private readonly messages: WebhookMessages,
    private readonly sender: WebhookSender,
    private readonly sanctions: Sanctions,
    private readonly notifier: WebhookNotifier,
    private readonly drain: Drain,
    private readonly metrics: Metrics,
  ) {
    const write = async (finished: readonly Finished[]): Promise<true[]> => {
      await this.deliveries.finish(finished);
      return finished.map(() => true);
    };
    this.results = new StatementBatcher<Finished, true>({
      batch: write,
      alone: async (one) => {
        await write([one]);
        return true;
      },
    });
  }

  /** True when its turn is over and there may be more. */
  async run(host: string): Promise<boolean> {
    const until = Date.now() + TURN_MS;
    const run: HostRun = { underWay: new Set(), begun: new Map() };
    for (;;) {
      const heard = new AbortController();
      // Before the look, so that nothing comes between the two.
      const moved = this.notifier.next(
        host,
        LOOK_EVERY_MS,
        AbortSignal.any([heard.signal, this.drain.signal]),
      );
      const isOver = Date.now() >= until || this.drain.draining;
      if (!isOver) await this.begin(host, run);
      const isIdle = run.underWay.size === 0;
      if (!isIdle) await Promise.race([...run.underWay, ...(isOver ? [] : [moved])]);
      heard.abort();
      await moved;
      if (isIdle) return isOver;
    }
  }

  private async begin(host: string, run: HostRun): Promise<void> {
    const taken = await this.takes.run(() => this.take(host));
    const bodies = this.messages.bodiesOf(taken);
    for (const [place, delivery] of taken.entries()) {
      const work = this.inOrder(delivery, bodies, place, run).finally(() => {
        run.underWay.delete(work);
        this.room.leave(delivery.owner);
      });
      run.underWay.add(work);
    }
    await bodies;
  }

  private async take(host: string): Promise<TakenDelivery[]> {
    const taken = this.room.isFull ? [] : await this.deliveries.take(host, this.me, this.room.fullOwners());
    for (const { owner } of taken) this.room.enter(owner);
    return taken;
  }

  /** A try begins when the one before it has sent its first byte, or will never send one. */
  private async inOrder(
    delivery: TakenDelivery,
    bodies: Promise<readonly (string | undefined)[]>,
    place: number,
    { begun }: HostRun,
  ): Promise<void> {
    const before = begun.get(delivery.target);
    let begin: () => void = () => undefined;
    begun.set(delivery.target, new Promise<void>((resolve) => (begin = resolve)));
    try {
      await before;
      await this.bring(delivery, (await bodies)[place], begin);
    } catch (error) {
      this.logger.warn({ err: error }, 'A delivery could not be written down; it is brought again.');
    } finally {
      begin();
    }
  }

  private async bring(delivery: TakenDelivery, body: string | undefined, onSent: () => void): Promise<void> {
    const { target, eventId, tries } = delivery;
    const { outcome, status, error, retryAfterSeconds } = await this.tried(delivery, body, onSent);
    this.metrics.webhookTried(outcome);
    await this.results.add({
      target,
      eventId,
      outcome,
      status,
      error,
      seconds: secondsUntilNext(tries + 1, Math.random(), retryAfterSeconds),
      restSeconds: retryAfterSeconds,
      tellingId: newId('evt'),
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
    return this.sender.send({ id: eventId, url, body, secrets: this.messages.secretsOf(delivery) }, onSent);
  }
}
