import { Slots } from '#kernel/slots';
import { BodyTooSlow } from '../http/body/body.errors';
import type { SenderSpeed } from '../http/body/sender-speed';
import { UploadsBusy } from './media.errors';

/** The large bodies that one process receives at a time. */
const SLOTS = 2;
const WAIT_MS_MAX = 10_000;
/** While other bodies wait, even a fast sender loses its slot after this time. */
const HOLD_MS_MAX = 60_000;

/** The owner of the body, its speed, and the function that stops reading it. */
export interface SlotRequest {
  readonly owner: string;
  readonly speed: Pick<SenderSpeed, 'isTooSlow' | 'waiting'>;
  readonly cut: (error: BodyTooSlow) => void;
}

/**
 * The slots for large bodies. A body without a slot waits for a while, and is then refused. While others wait, slow
 * senders lose their slots. An owner without a slot gets one before another owner gets a second one.
 */
export class UploadSlots {
  /** The bodies that have a slot, and the time until which each keeps it. */
  private readonly held = new Map<SlotRequest, number>();
  private readonly slots: Slots;

  constructor(
    waitMsMax = WAIT_MS_MAX,
    private readonly holdMsMax = HOLD_MS_MAX,
    private readonly graceMs?: number,
  ) {
    const wait = { msMax: waitMsMax, busy: () => new UploadsBusy(), whileWaiting: () => this.makeWay() };
    this.slots = new Slots(SLOTS, { wait });
  }

  /** Returns a function that frees the slot; a second call has no effect. */
  async take(holder: SlotRequest): Promise<() => void> {
    const { owner, speed } = holder;
    if (!this.slots.enter(owner)) await speed.waiting(() => this.slots.wait(owner));
    this.held.set(holder, Date.now() + this.holdMsMax);
    return () => this.free(holder);
  }

  private free(holder: SlotRequest): void {
    if (this.held.delete(holder)) this.slots.giveBack(holder.owner);
  }

  private makeWay(): void {
    for (const [holder, until] of this.held) {
      if (!holder.speed.isTooSlow(this.graceMs) && until > Date.now()) continue;
      this.free(holder);
      holder.cut(new BodyTooSlow());
    }
  }
}
