/**
 * Slots that owners share: each owner has at most as many as are still free. A single owner gets half of them, the next
 * one a quarter, so a further owner always gets a slot.
 */
export class FairSlots {
  private readonly used = new Map<string, number>();
  private total = 0;

  constructor(private readonly room: number) {}

  get isFull(): boolean {
    return this.total >= this.room;
  }

  /** Owners that get no further slot until one is released. */
  fullOwners(): string[] {
    return [...this.used].filter(([, used]) => used >= this.room - this.total).map(([owner]) => owner);
  }

  enter(owner: string): void {
    this.total += 1;
    this.used.set(owner, (this.used.get(owner) ?? 0) + 1);
  }

  leave(owner: string): void {
    this.total -= 1;
    const left = (this.used.get(owner) ?? 0) - 1;
    if (left > 0) this.used.set(owner, left);
    else this.used.delete(owner);
  }
}
