import { setImmediate as breathe } from 'node:timers/promises';

import { createH264MP4Encoder } from 'h264-mp4-encoder';

import { drawPrompt } from './picture';

/** Few and small pictures: the encoder is JavaScript, and a film here only has to be a real one. */
const FRAMES_PER_SECOND = 4;

/** A playable MP4 of exactly so many seconds. */
export const filmPrompt = async (
  prompt: string,
  width: number,
  height: number,
  seconds: number,
): Promise<Buffer> => {
  const encoder = await createH264MP4Encoder();
  try {
    encoder.width = width;
    encoder.height = height;
    encoder.frameRate = FRAMES_PER_SECOND;
    encoder.quantizationParameter = 36;
    encoder.speed = 10;
    encoder.outputFilename = 'film.mp4';
    encoder.initialize();
    const frames = seconds * FRAMES_PER_SECOND;
    for (let frame = 0; frame < frames; frame += 1) {
      encoder.addFrameRgba(drawPrompt(prompt, width, height, frame / frames).pixels);
      await breathe(); // Others get their turn between two pictures.
    }
    encoder.finalize();
    return Buffer.from(encoder.FS.readFile(encoder.outputFilename));
  } finally {
    encoder.delete();
  }
};
