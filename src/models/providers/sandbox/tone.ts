/** The format of OpenAI's raw samples: 24 kHz, 16 bit, one channel. */
const RATE = 24_000;
const BYTES = 2;
const LOUDNESS = 0.2 * 32_767;

export const tone = (seconds: number, hertz: number): Buffer => {
  const count = Math.round(seconds * RATE);
  const samples = Buffer.alloc(count * BYTES);
  for (let at = 0; at < count; at += 1) {
    samples.writeInt16LE(Math.round(LOUDNESS * Math.sin((2 * Math.PI * hertz * at) / RATE)), at * BYTES);
  }
  return samples;
};

export const wavOf = (samples: Buffer): Buffer => {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(RATE, 24);
  header.writeUInt32LE(RATE * BYTES, 28);
  header.writeUInt16LE(BYTES, 32);
  header.writeUInt16LE(8 * BYTES, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
};

/** MPEG-2 layer III, 24 kHz, 32 kbit/s, one channel: 576 samples in 96 bytes. A frame without data is silence. */
const FRAME = Buffer.concat([Buffer.from([0xff, 0xf3, 0x44, 0xc0]), Buffer.alloc(92)]);
const FRAME_SAMPLES = 576;

export const silentMp3 = (seconds: number): Buffer =>
  Buffer.concat(
    Array.from({ length: Math.max(1, Math.ceil((seconds * RATE) / FRAME_SAMPLES)) }, () => FRAME),
  );
