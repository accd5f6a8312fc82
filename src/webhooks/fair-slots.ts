/**
 * Room that owners share: each has at most as much as is still free. One owner alone gets half of it, the next a quarter,
 * and there is always room for one more owner.
 */
export class FairSlots {
  private readonly used = new Map<string, number>();
  private total = 0;

  constructor(private readonly room: number) {}

  get isFull(): boolean {
    return this.total >= this.room;
  }

  /** Those who get no more until somebody leaves. */
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
