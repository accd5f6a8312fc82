import { Injectable } from '@nestjs/common';

import { AppError } from '../../kernel/app-error';

/** Streams and waits at a time. */
export const STREAMS = { perOwner: 20, perAddress: 200 } as const;

class TooManyStreams extends AppError {
  readonly kind = 'rate_limited';
  readonly code = 'RATE_LIMITED';

  constructor(max: number, whose: string) {
    super(`At most ${max} streams and waits at a time ${whose}. End one, or follow more in one stream.`, {
      retryAfterSeconds: 5,
    });
  }
}

/** How many streams and waits are open, by owner and by address. One process counts those that it holds. */
@Injectable()
export class StreamPlaces {
  private readonly open = new Map<string, number>();

  /** Takes a place until the answer is called; throws when there is none. Who has only an id has no owner. */
  take(address: string, owner?: string): () => void {
    const keys = [`address ${address}`, ...(owner === undefined ? [] : [`owner ${owner}`])];
    const used = keys.map((key) => this.open.get(key) ?? 0);
    if ((used[1] ?? 0) >= STREAMS.perOwner) throw new TooManyStreams(STREAMS.perOwner, 'for one owner');
    if ((used[0] ?? 0) >= STREAMS.perAddress)
      throw new TooManyStreams(STREAMS.perAddress, 'from one address');
    for (const key of keys) this.open.set(key, (this.open.get(key) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const key of keys) this.leave(key);
    };
  }

  private leave(key: string): void {
    const left = (this.open.get(key) ?? 1) - 1;
    if (left > 0) this.open.set(key, left);
    else this.open.delete(key);
  }
}
