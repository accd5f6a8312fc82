import { join } from 'node:path';

import { type Guest, Slots } from '#kernel/slots';
import { inChild } from '../threads/child';

const LIMITS = { milliseconds: 10_000, heapMb: 128, memoryMb: 512 };
const SCRIPT = join(__dirname, 'recordings', 'measure.cjs');
/** The most concurrent probes, because each is a process. */
const slots = new Slots(2, { perKey: 1 });

export type Measured =
  | { readonly seconds: number }
  /** The end of a sentence that begins with the file. */
  | { readonly reason: string };

/**
 * The duration of a sound file: the longest that any player could play. The result is undefined if the child process
 * that reads the file ended or took too long.
 */
export const probeAudio = (path: string, owner: string | Guest): Promise<Measured | undefined> =>
  slots.run(async () => {
    const measured = await inChild<Measured>(SCRIPT, { path }, LIMITS);
    if (measured === undefined || 'reason' in measured) return measured;
    // The sum of thousands of fractions has a small error. Without rounding, this error could begin another billed
    // second.
    return { seconds: Math.round(measured.seconds * 1e6) / 1e6 };
  }, owner);
