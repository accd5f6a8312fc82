import { Mp4OutputFormat, OggOutputFormat, WebMOutputFormat } from 'mediabunny';

import { silentMp3, tone, wavOf } from '#models/providers/sandbox/tone';
import { IS_NIGHTLY } from '../support/nightly';
import { numbersFrom } from '../support/random';
import { AAC, OPUS, packed } from '../support/recordings';

interface Measured {
  readonly seconds?: number;
  readonly reason?: string;
}

const { measure } = require('../../src/platform/media/recordings/measure.cjs') as {
  readonly measure: (file: Buffer) => Measured;
};

const CHANGES = IS_NIGHTLY ? 20_000 : 1_000;
const SECONDS = 2;

const FILES: Readonly<Record<string, () => Promise<Buffer>>> = {
  WAV: async () => wavOf(tone(SECONDS, 440)),
  MP3: async () => silentMp3(SECONDS),
  Ogg: () => packed(new OggOutputFormat(), OPUS, 50 * SECONDS, 0.02),
  WebM: () => packed(new WebMOutputFormat(), OPUS, 50 * SECONDS, 0.02),
  M4A: () => packed(new Mp4OutputFormat(), AAC, 86, 1_024 / 44_100),
};

describe.each(Object.entries(FILES))('a measured recording in %s', (_, make) => {
  let file: Buffer;

  beforeAll(async () => {
    file = await make();
  });

  const timed = (changed: Buffer): Measured => {
    const started = performance.now();
    const measured = measure(changed);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect((measured.seconds ?? 0) >= 0 && !Number.isNaN(measured.seconds)).toBe(true);
    return measured;
  };

  it('has its own duration', () => {
    expect(timed(file).seconds).toBeCloseTo(SECONDS, 1);
  });

  it('is refused or shorter if it ends earlier', () => {
    const step = Math.max(1, Math.floor(file.length / 500));
    for (let end = 0; end < file.length; end += end < 400 ? 1 : step) {
      const { seconds = 0 } = timed(file.subarray(0, end));
      expect(seconds).toBeLessThanOrEqual(SECONDS + 0.1);
    }
  });

  it('is refused or longer if another one follows', async () => {
    for (const other of Object.values(FILES)) {
      const { seconds, reason } = timed(Buffer.concat([file, await other()]));
      expect(reason !== undefined || seconds! > 1.8 * SECONDS).toBe(true);
    }
  });

  it(`never harms its reader with ${CHANGES} changes of its bytes`, () => {
    const next = numbersFrom(SECONDS);
    for (let change = 0; change < CHANGES; change += 1) {
      const changed = Buffer.from(file);
      for (let times = 0; times <= change % 4; times += 1) {
        // Most numbers are near the beginning or the end.
        const at = Math.floor((next() < 0.5 ? next() * 300 : next() * file.length) % file.length);
        changed[at] = [0, 1, 127, 128, 255, Math.floor(next() * 256)][Math.floor(next() * 6)]!;
      }
      timed(changed);
    }
    expect(timed(file).seconds).toBeCloseTo(SECONDS, 1);
  });
});
