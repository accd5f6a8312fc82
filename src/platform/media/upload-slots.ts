import { BodyTooSlow } from '../http/body/body.errors';
import { WaitQueue } from '../http/body/wait-queue';
import type { SenderSpeed } from '../http/body/sender-speed';
import { UploadsBusy } from './media.errors';

/** The large bodies that one process receives at a time. */
const PLACES = 2;
const WAIT_MS_MAX = 10_000;
/** While other bodies wait, even a fast sender loses its slot after this time. */
const HOLD_MS_MAX = 60_000;

/** The owner of the body, its speed, and the function that stops reading it. */
export interface SlotRequest {
  readonly owner: string;
  readonly speed: Pick<SenderSpeed, 'isTooSlow' | 'waiting'>;
  readonly cut: (error: BodyTooSlow) => void;
}

interface Held extends SlotRequest {
  readonly until: number;
}

/**
 * The slots for large bodies. A body without a slot waits for a while, and is then refused. While others wait, slow
 * senders lose their slots. An owner without a slot gets one before another owner gets a second one.
 */
export class UploadSlots {
  private readonly held = new Set<Held>();
  private readonly entered = new WeakMap<SlotRequest, Held>();
  private readonly queue: WaitQueue<SlotRequest>;

  constructor(
    waitMsMax = WAIT_MS_MAX,
    private readonly holdMsMax = HOLD_MS_MAX,
    private readonly graceMs?: number,
  ) {
    this.queue = new WaitQueue(
      waitMsMax,
      () => new UploadsBusy(),
      () => this.makeWay(),
    );
  }

  /** Returns a function that frees the slot; a second call has no effect. */
  async take(holder: SlotRequest): Promise<() => void> {
    let place = this.queue.isEmpty ? this.placeFor(holder) : undefined;
    if (place === undefined) {
      await holder.speed.waiting(() => this.queue.join(holder));
      place = this.entered.get(holder);
    }
    return () => {
      if (place !== undefined && this.held.delete(place)) this.admit();
    };
  }

  private placeFor(holder: SlotRequest): Held | undefined {
    if (this.held.size >= PLACES) return undefined;
    const place = { ...holder, until: Date.now() + this.holdMsMax };
    this.held.add(place);
    return place;
  }

  /** Owners without a slot get one first. Among these, and among the others, the order of arrival decides. */
  private admit(): void {
    const owners = new Set([...this.held].map(({ owner }) => owner));
    for (const isTurn of [(owner: string) => !owners.has(owner), () => true]) {
      this.queue.admit((holder) => {
        const place = isTurn(holder.owner) ? this.placeFor(holder) : undefined;
        if (place === undefined) return false;
        owners.add(holder.owner);
        this.entered.set(holder, place);
        return true;
      });
    }
  }

  private makeWay(): void {
    for (const holder of this.held) {
      if (holder.speed.isTooSlow(this.graceMs) || holder.until <= Date.now()) {
        this.held.delete(holder);
        holder.cut(new BodyTooSlow());
      }
    }
    this.admit();
  }
}
