import { Slots } from '#kernel/slots';
import { inThread } from '#platform/threads/thread';
import { drawPrompt } from './picture';

/** Frames are few and small, because the encoder is slow JavaScript, and a film here must only be valid. */
const FRAMES_PER_SECOND = 4;
const LIMITS = { milliseconds: 30_000, heapMb: 256 };
/** The number of concurrent films. Each keeps a core busy. */
const slots = new Slots(2);

/** Runs in a thread, because the encoder installs handlers for uncaught exceptions and then prints its own source. */
const ENCODE = `
  const { createH264MP4Encoder } = require(workerData.library);
  run(async () => {
    const encoder = await createH264MP4Encoder();
    Object.assign(encoder, workerData.settings, { outputFilename: 'film.mp4' });
    encoder.initialize();
    for (let frame = await more(); frame !== undefined; frame = await more()) encoder.addFrameRgba(frame);
    encoder.finalize();
    return encoder.FS.readFile(encoder.outputFilename);
  });
`;

/** A playable MP4 of exactly this many seconds. */
export const filmPrompt = (prompt: string, width: number, height: number, seconds: number): Promise<Buffer> =>
  slots.run(async () => {
    const frames = seconds * FRAMES_PER_SECOND;
    let drawn = 0;
    const nextFrame = (): Buffer | undefined => {
      if (drawn >= frames) return undefined;
      drawn += 1;
      return drawPrompt(prompt, width, height, (drawn - 1) / frames).pixels;
    };
    const settings = { width, height, frameRate: FRAMES_PER_SECOND, quantizationParameter: 36, speed: 10 };
    const film = await inThread<Uint8Array>(
      ENCODE,
      { library: require.resolve('h264-mp4-encoder'), settings },
      LIMITS,
      nextFrame,
    );
    if (film === undefined) throw new Error('The film could not be encoded in time.');
    return Buffer.from(film);
  });
