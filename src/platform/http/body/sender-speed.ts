import type { FastifyRequest } from 'fastify';
import { getOrMake } from '#kernel/maps';
import { RequestSlot } from '../request-slot';

const BYTES_A_SECOND_MIN = 32 * 1024;
/** No sender counts as slow before this time. */
const GRACE_MS = 2_000;

/**
 * The recent speed of a request's body. An average over the whole time would let a fast beginning hide a slow rest. The
 * time in which the service makes the sender wait does not count.
 */
export class SenderSpeed {
  private since = Date.now();
  private from: number;
  private waitsSince: number | undefined;

  constructor(private readonly socket: { readonly bytesRead?: number }) {
    this.from = socket.bytesRead ?? 0;
  }

  isTooSlow(graceMs = GRACE_MS): boolean {
    const { bytesRead } = this.socket;
    const ms = Date.now() - this.since;
    if (this.waitsSince !== undefined || bytesRead === undefined || ms < graceMs) {
      return false;
    }
    const isSlow = (bytesRead - this.from) * 1_000 < BYTES_A_SECOND_MIN * ms;
    this.since = Date.now();
    this.from = bytesRead;
    return isSlow;
  }

  /** Runs `work`, during which the sender waits for us. */
  async waiting<T>(work: () => Promise<T>): Promise<T> {
    this.waitsSince = Date.now();
    try {
      return await work();
    } finally {
      this.since += Date.now() - this.waitsSince;
      this.waitsSince = undefined;
    }
  }
}

const speeds = new RequestSlot<SenderSpeed>();

export const senderSpeedOf = (request: FastifyRequest): SenderSpeed =>
  getOrMake(speeds, request, () => new SenderSpeed(request.raw.socket));
