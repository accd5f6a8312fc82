import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, Output, type OutputFormat } from 'mediabunny';

/** Two channels, and 312 samples to skip. */
const OPUS_HEAD = Buffer.concat([
  Buffer.from('OpusHead', 'latin1'),
  Buffer.from([1, 2, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 0, 0]),
]);

export interface Sound {
  readonly codec: 'opus' | 'aac';
  readonly rate: number;
  readonly description: Uint8Array;
  readonly packet: Uint8Array;
}

/** Each packet holds 20 ms. */
export const OPUS: Sound = {
  codec: 'opus',
  rate: 48_000,
  description: OPUS_HEAD,
  packet: new Uint8Array([0xf8, 0xff, 0xfe]),
};

/** Each packet holds 1,024 samples of 44.1 kHz. */
export const AAC: Sound = {
  codec: 'aac',
  rate: 44_100,
  description: new Uint8Array([0x12, 0x10]),
  packet: new Uint8Array([0x21, 0x10, 0x04]),
};

/** The container states 96 kHz for the output of a decoder, and its core of 8 kHz makes 128 ms of each packet. */
export const AAC_OF_8_KHZ: Sound = {
  ...AAC,
  rate: 96_000,
  description: new Uint8Array([0x2d, 0x88, 0x08]),
};

/** A file with so many packets, each of which claims a duration. */
export const packed = async (
  format: OutputFormat,
  { codec, rate, description, packet }: Sound,
  packets: number,
  claimed: number,
): Promise<Buffer> => {
  const target = new BufferTarget();
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source);
  await output.start();
  const meta = {
    decoderConfig: {
      codec: codec === 'opus' ? 'opus' : 'mp4a.40.2',
      numberOfChannels: 2,
      sampleRate: rate,
      description,
    },
  };
  for (let at = 0; at < packets; at += 1) {
    await source.add(new EncodedPacket(packet, 'key', at * claimed, claimed), meta);
  }
  await output.finalize();
  return Buffer.from(target.buffer!);
};

/** Adds a box at the end of the box at this path. Only the sizes of its parents change. */
export const withBox = (file: Buffer, path: readonly string[], box: Buffer): Buffer => {
  const grown = Buffer.from(file);
  let [at, end] = [0, file.length];
  for (const type of path) {
    while (file.toString('latin1', at + 4, at + 8) !== type) {
      at += file.readUInt32BE(at);
      if (at >= end) throw new Error(`The file has no box ${path.join('/')}.`);
    }
    end = at + file.readUInt32BE(at);
    grown.writeUInt32BE(file.readUInt32BE(at) + box.length, at);
    at += 8;
  }
  return Buffer.concat([grown.subarray(0, end), box, grown.subarray(end)]);
};

const words = (...numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => bytes.writeUInt32BE(number, 4 * at));
  return bytes;
};

const boxOf = (type: string, content: Buffer): Buffer =>
  Buffer.concat([words(8 + content.length), Buffer.from(type, 'latin1'), content]);

/** An edit list that plays this many units of the movie from this place of the track, this many times. */
export const editList = (units: number, times = 1, from = 0): Buffer =>
  boxOf(
    'edts',
    boxOf(
      'elst',
      Buffer.concat([words(0, times), ...Array.from({ length: times }, () => words(units, from, 0x1_0000))]),
    ),
  );

/** A fragment with so many samples of the first track, which has no table of them. */
export const fragment = (samples: number): Buffer =>
  boxOf('moof', boxOf('traf', Buffer.concat([boxOf('tfhd', words(0, 1)), boxOf('trun', words(0, samples))])));

/** MPEG-2 layer III, 24 kHz, 32 kbit/s: 576 samples in 96 bytes. */
export const mp3Frames = (count: number, isMono: boolean): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, () =>
      Buffer.concat([Buffer.from([0xff, 0xf3, 0x44, isMono ? 0xc0 : 0x00]), Buffer.alloc(92)]),
    ),
  );
