import { join } from 'node:path';

import { type Guest, Slots } from '#kernel/slots';
import { inChild } from '../threads/child';
import { sniffFile } from './sniff-media';

const SCRIPT = join(__dirname, 'film-read.cjs');
const MEMORY = { heapMb: 128, memoryMb: 512 };
/**
 * The most concurrent probes, because a crafted file keeps one core busy until the time limit. Callers without money
 * share one probe.
 */
const slots = new Slots(2, { forGuests: 1 });

/** No camera records more frames a second, so somebody has changed the times of a film with more. */
const PICTURES_PER_SECOND_MAX = 240;

export interface Film {
  readonly seconds: number;
  /** By the container. */
  readonly pixels: number;
  /** Whether every frame is present and has the form of its codec, and the first one is a key frame. */
  readonly whole: boolean;
}

interface Probed {
  readonly seconds: number;
  readonly pixels: number;
  readonly pictures: number;
  readonly whole: boolean;
}

/** The library gets only the reader of the type that the first bytes show. A play list would open other files. */
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'video/mp4': ['MP4'],
  'video/quicktime': ['QTFF'],
  'video/webm': ['WEBM', 'MATROSKA'],
};

/**
 * The content of a film; undefined if reading took too long or ended the child process. A crafted file of a few bytes
 * that claims billions of frames would block this process for minutes.
 */
export const probeFilm = (
  path: string,
  owner: string | Guest,
  milliseconds: number,
): Promise<Film | undefined> =>
  slots.run(async () => {
    const formats = FORMATS[(await sniffFile(path)) ?? ''];
    if (formats === undefined) return undefined;
    const probed = await inChild<Probed>(
      SCRIPT,
      { path, formats, library: require.resolve('mediabunny') },
      { milliseconds, ...MEMORY },
    );
    return (
      probed && {
        seconds: Math.max(probed.seconds, probed.pictures / PICTURES_PER_SECOND_MAX),
        pixels: probed.pixels,
        whole: probed.whole,
      }
    );
  }, owner);
