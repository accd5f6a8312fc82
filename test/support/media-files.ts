import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import sharp from 'sharp';

import { inThread } from '#platform/threads/thread';

export interface FilmShape {
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
}

const FOLDER = join(tmpdir(), 'lamppost-films');
const LIMITS = { milliseconds: 60_000, heapMb: 512 };
/** One grey frame a second, because each frame of this size takes the encoder a while. */
const ENCODE = `
  const { createH264MP4Encoder } = require(workerData.library);
  run(async () => {
    const { seconds, width, height } = workerData;
    const encoder = await createH264MP4Encoder();
    Object.assign(encoder, { width, height, frameRate: 1, quantizationParameter: 45, speed: 10, outputFilename: 'film.mp4' });
    encoder.initialize();
    for (let frame = 0; frame < seconds; frame += 1) encoder.addFrameRgba(Buffer.alloc(width * height * 4, 80 + frame));
    encoder.finalize();
    return encoder.FS.readFile(encoder.outputFilename);
  });
`;

const read = (path: string): Buffer | undefined => {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
};

/** A real MP4 of this length and size, stored for the next test that needs it. */
export const filmOf = async (shape: FilmShape): Promise<Buffer> => {
  const path = join(FOLDER, `${Object.values(shape).join('-')}.mp4`);
  const known = read(path);
  if (known !== undefined) return known;
  const film = await inThread<Uint8Array>(
    ENCODE,
    { library: require.resolve('h264-mp4-encoder'), ...shape },
    LIMITS,
  );
  if (film === undefined) throw new Error('The film could not be encoded in time.');
  mkdirSync(FOLDER, { recursive: true });
  const mine = `${path}.${process.pid}.${Math.random()}`;
  writeFileSync(mine, film);
  renameSync(mine, path);
  return Buffer.from(film);
};

/** A film of the smallest tier and length that most tests sell. */
export const soldFilm = (): Promise<Buffer> => filmOf({ seconds: 4, width: 1_280, height: 720 });

export const pictureOf = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#642' } })
    .png()
    .toBuffer();
