import { getHeapStatistics } from 'node:v8';

import { Injectable } from '@nestjs/common';

import { Members } from '#kernel/members';
import { Slots } from '#kernel/slots';
import { BodiesBusy, BodyTooSlow } from './body.errors';
import type { SenderSpeed } from './sender-speed';

const MEGABYTE = 1024 * 1024;
const WAIT_MS_MAX = 10_000;

interface Pool {
  readonly bytesMax: number;
  /** The most memory that all bodies of one owner may use at a time. */
  readonly ownBytesMax: number;
}

type PoolName = 'strangers' | 'callers';

/**
 * The memory for the bodies of all routes. Proven callers have a separate pool, so that unproven callers take no memory
 * from them. A call keeps its body while it waits for its answer. So a process with more memory keeps more of
 * them, and one owner gets a smaller share.
 */
export const poolsFor = (heapBytesMax: number): Readonly<Record<PoolName, Pool>> => {
  const bytesMax = Math.max(96 * MEGABYTE, Math.floor(heapBytesMax / 10));
  return {
    strangers: { bytesMax: 32 * MEGABYTE, ownBytesMax: 8 * MEGABYTE },
    callers: { bytesMax, ownBytesMax: Math.max(48 * MEGABYTE, Math.floor(bytesMax / 8)) },
  };
};

/** The memory that one body holds. */
export class BodyLease {
  bytes = 0;
  isReceiving = true;
  private pool: PoolName = 'strangers';
  isClosed = false;
  private readonly leave: () => void;

  constructor(
    private readonly budget: BodyBudget,
    private owner: string,
    readonly speed: SenderSpeed,
    /** The budget calls this when it takes the memory from a slow sender. The reader then stops. */
    readonly cut: (error: BodyTooSlow) => void,
  ) {
    this.leave = budget.leases.add(this);
  }

  /** Takes more memory. The result is undefined if there is room, or else a promise to wait for. */
  take(bytes: number): Promise<void> | undefined {
    if (!this.slots.enter(this.owner, bytes)) return this.speed.waiting(() => this.wait(bytes));
    this.bytes += bytes;
    return undefined;
  }

  /** Must be called when the body's caller is proven. It moves the memory to the pool of proven callers. */
  prove(owner: string): Promise<void> | undefined {
    const { bytes } = this;
    this.shrink();
    this.pool = 'callers';
    this.owner = owner;
    return this.take(bytes);
  }

  /** Must be called when the reader drops the received part. */
  shrink(): void {
    const { bytes } = this;
    this.bytes = 0;
    if (bytes > 0) this.slots.giveBack(this.owner, bytes);
  }

  /** Must be called when the body is complete. From then on the body keeps its memory, and its speed does not count. */
  received(): void {
    this.isReceiving = false;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.shrink();
    this.leave();
    this.budget.forget(this);
  }

  private get slots(): Slots {
    return this.budget.pools[this.pool];
  }

  private async wait(bytes: number): Promise<void> {
    await this.slots.wait(this.owner, bytes, () => this.budget.mayExceed(this));
    this.bytes += bytes;
    if (this.isClosed) this.shrink();
  }
}

/**
 * One budget of body bytes in memory for the whole process. A body without memory waits for it. While bodies wait, slow
 * senders lose their memory.
 */
@Injectable()
export class BodyBudget {
  readonly pools: Readonly<Record<PoolName, Slots>>;
  readonly leases = new Members<BodyLease>();
  /** The one body that may exceed the limit. Without this exception, all bodies could wait for each other. */
  private excepted: BodyLease | undefined;

  constructor(
    { strangers, callers } = poolsFor(getHeapStatistics().heap_size_limit),
    private readonly graceMs?: number,
  ) {
    const wait = { msMax: WAIT_MS_MAX, busy: () => new BodiesBusy(), whileWaiting: () => this.makeWay() };
    const slotsOf = ({ bytesMax, ownBytesMax }: Pool): Slots =>
      new Slots(bytesMax, { perKey: ownBytesMax, order: 'arrival', wait });
    this.pools = { strangers: slotsOf(strangers), callers: slotsOf(callers) };
  }

  /** The bytes that all bodies hold now. */
  get bytes(): number {
    return Object.values(this.pools).reduce((sum, { room, free }) => sum + room - free, 0);
  }

  open(owner: string, speed: SenderSpeed, cut: BodyLease['cut']): BodyLease {
    return new BodyLease(this, owner, speed, cut);
  }

  forget(lease: BodyLease): void {
    if (this.excepted === lease) this.excepted = undefined;
    for (const slots of Object.values(this.pools)) slots.beginWhatFits();
  }

  /** A closed body stops waiting: it returns at once what it gets. */
  mayExceed(lease: BodyLease): boolean {
    if (lease.isClosed) return true;
    if (lease.bytes === 0 || (this.excepted ?? lease) !== lease) return false;
    this.excepted = lease;
    return true;
  }

  private makeWay(): void {
    this.leases.forEach(({ isReceiving, speed, cut }) => {
      if (isReceiving && speed.isTooSlow(this.graceMs)) cut(new BodyTooSlow());
    });
  }
}
