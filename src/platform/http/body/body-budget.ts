import { getHeapStatistics } from 'node:v8';

import { Injectable } from '@nestjs/common';

import { BodiesBusy, BodyTooSlow } from './body.errors';
import { WaitQueue } from './wait-queue';
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
 * from them. A conversation keeps its body while its model is silent. So a process with more memory keeps more of
 * them, and one owner gets a smaller share.
 */
export const poolsFor = (heapBytesMax: number): Readonly<Record<PoolName, Pool>> => {
  const bytesMax = Math.max(96 * MEGABYTE, Math.floor(heapBytesMax / 10));
  return {
    strangers: { bytesMax: 32 * MEGABYTE, ownBytesMax: 8 * MEGABYTE },
    callers: { bytesMax, ownBytesMax: Math.max(48 * MEGABYTE, Math.floor(bytesMax / 8)) },
  };
};

interface Wish {
  readonly lease: BodyLease;
  readonly bytes: number;
}

/** The memory that one body holds. */
export class BodyLease {
  bytes = 0;
  pool: PoolName = 'strangers';
  isReceiving = true;
  isClosed = false;

  constructor(
    private readonly budget: BodyBudget,
    public owner: string,
    readonly speed: SenderSpeed,
    /** The budget calls this when it takes the memory from a slow sender. The reader then stops. */
    readonly cut: (error: BodyTooSlow) => void,
  ) {}

  /** Takes more memory. The result is undefined if there is room, or else a promise to wait for. */
  take(bytes: number): Promise<void> | undefined {
    return this.budget.take({ lease: this, bytes });
  }

  /** Must be called when the body's caller is proven. It moves the memory to the pool of proven callers. */
  prove(owner: string): Promise<void> | undefined {
    const { bytes } = this;
    this.budget.giveBack(this);
    this.pool = 'callers';
    this.owner = owner;
    return this.take(bytes);
  }

  /** Must be called when the reader drops the received part. */
  shrink(): void {
    this.budget.giveBack(this);
  }

  /** Must be called when the body is complete. From then on the body keeps its memory, and its speed does not count. */
  received(): void {
    this.isReceiving = false;
  }

  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.budget.giveBack(this);
    this.budget.forget(this);
  }
}

/**
 * One budget of body bytes in memory for the whole process. A body without memory waits for it. While bodies wait, slow
 * senders lose their memory.
 */
@Injectable()
export class BodyBudget {
  private readonly leases = new Set<BodyLease>();
  private readonly held: Record<PoolName, number> = { strangers: 0, callers: 0 };
  private readonly owners = new Map<string, number>();
  private readonly queue = new WaitQueue<Wish>(
    WAIT_MS_MAX,
    () => new BodiesBusy(),
    () => this.makeWay(),
  );
  /** The one body that may exceed the limit. Without this exception, all bodies could wait for each other. */
  private excepted: BodyLease | undefined;

  constructor(
    private readonly pools = poolsFor(getHeapStatistics().heap_size_limit),
    private readonly graceMs?: number,
  ) {}

  /** The bytes that all bodies hold now. */
  get bytes(): number {
    return this.held.strangers + this.held.callers;
  }

  open(owner: string, speed: SenderSpeed, cut: BodyLease['cut']): BodyLease {
    const lease = new BodyLease(this, owner, speed, cut);
    this.leases.add(lease);
    return lease;
  }

  take(wish: Wish): Promise<void> | undefined {
    if (this.queue.isEmpty && this.fits(wish)) {
      this.count(wish);
      return undefined;
    }
    return wish.lease.speed.waiting(() => this.queue.join(wish));
  }

  giveBack(lease: BodyLease): void {
    this.count({ lease, bytes: -lease.bytes });
    this.admit();
  }

  forget(lease: BodyLease): void {
    this.leases.delete(lease);
    if (this.excepted === lease) this.excepted = undefined;
    this.admit();
  }

  private makeWay(): void {
    for (const lease of this.leases) {
      if (lease.isReceiving && lease.speed.isTooSlow(this.graceMs)) lease.cut(new BodyTooSlow());
    }
    this.admit();
  }

  private admit(): void {
    if (this.queue.isEmpty) return;
    this.queue.admit((wish) => {
      if (wish.lease.isClosed) return true;
      if (!this.fits(wish)) {
        if (wish.lease.bytes === 0 || (this.excepted ?? wish.lease) !== wish.lease) return false;
        this.excepted = wish.lease;
      }
      this.count(wish);
      return true;
    });
  }

  private fits({ lease, bytes }: Wish): boolean {
    const { bytesMax, ownBytesMax } = this.pools[lease.pool];
    const own = this.owners.get(ownerIn(lease)) ?? 0;
    return this.held[lease.pool] + bytes <= bytesMax && own + bytes <= ownBytesMax;
  }

  private count({ lease, bytes }: Wish): void {
    lease.bytes += bytes;
    this.held[lease.pool] += bytes;
    const name = ownerIn(lease);
    const own = (this.owners.get(name) ?? 0) + bytes;
    if (own === 0) this.owners.delete(name);
    else this.owners.set(name, own);
  }
}

const ownerIn = ({ pool, owner }: BodyLease): string => `${pool}|${owner}`;
