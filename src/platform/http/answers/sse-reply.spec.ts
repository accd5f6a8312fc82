import { Writable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';

import type { FastifyReply } from 'fastify';

import { SseReply } from './sse-reply';

const LAG = 512 * 1024;
const STREAMS = 200; // Together they have more unread bytes than a process keeps.

describe('the unread bytes of streams', () => {
  const never = new AbortController().signal;
  let raws: Writable[];

  /** A stream whose reader does not read. */
  const unread = (): SseReply => {
    const raw = Object.assign(new Writable({ write: () => undefined }), { headersSent: true });
    raws.push(raw);
    const sse = new SseReply({ raw } as unknown as FastifyReply, never, never);
    sse.add('x'.repeat(400 * 1024));
    return sse;
  };

  const waitsFor = async (sse: SseReply): Promise<boolean> => {
    let waits = true;
    sse.room(LAG).then(
      () => (waits = false),
      () => undefined,
    );
    await pause(0);
    return waits;
  };

  beforeEach(() => (raws = []));
  afterEach(() => raws.forEach((raw) => raw.destroy()));

  it('make no source wait for one slow reader, but for many', async () => {
    const streams = Array.from({ length: STREAMS }, unread);
    await pause(20);

    const waits: boolean[] = [];
    for (const sse of streams) waits.push(await waitsFor(sse));
    expect([waits[0], waits.at(-1)]).toEqual([false, true]);

    raws.slice(1).forEach((raw) => raw.destroy());
    await pause(0);
    expect(await waitsFor(streams[0]!)).toBe(false);
  });
});
