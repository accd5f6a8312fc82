const { opusSeconds } = require('./opus.cjs');
const { refuse } = require('./refused.cjs');

const EBML = {
  HEADER: 0x1a45dfa3,
  SEGMENT: 0x18538067,
  INFO: 0x1549a966,
  SCALE: 0x2ad7b1,
  DURATION: 0x4489,
  TRACKS: 0x1654ae6b,
  TRACK: 0xae,
  NUMBER: 0xd7,
  TYPE: 0x83,
  CODEC: 0x86,
  ENCODINGS: 0x6d80,
  CLUSTER: 0x1f43b675,
  TIME: 0xe7,
  GROUP: 0xa0,
  BLOCK: 0xa1,
  SIMPLE_BLOCK: 0xa3,
  ENCRYPTED_BLOCK: 0xaf,
};
/** The reader goes into these and over all others, so it finds every block, whatever sizes their parents claim. */
const EBML_ENTERED = [EBML.SEGMENT, EBML.INFO, EBML.TRACKS, EBML.TRACK, EBML.CLUSTER, EBML.GROUP];
const AUDIO = 2;

/** A number of variable length. `value` is undefined if it is unknown: all its bits are set. */
const vint = (file, at, keepsMark = false) => {
  const first = file[at] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8 || at + length > file.length) refuse('is no valid WebM file');
  const mask = (1 << (8 - length)) - 1;
  let value = keepsMark ? first : first & mask;
  let isUnknown = (first & mask) === mask;
  for (let by = 1; by < length; by += 1) {
    value = value * 256 + file[at + by];
    isUnknown &&= file[at + by] === 255;
  }
  return { value: isUnknown && !keepsMark ? undefined : value, length };
};

const unsigned = (bytes) => bytes.reduce((sum, byte) => sum * 256 + byte, 0);

/** The sizes of the packets in a block, by its lacing. */
const lacedSizes = (body, lacing) => {
  if (lacing === 0) return { sizes: [body.length], from: 0 };
  const count = (body[0] ?? 0) + 1;
  let from = 1;
  const sizes = [];
  if (lacing === 2)
    return { sizes: Array.from({ length: count }, () => Math.floor((body.length - 1) / count)), from };
  while (sizes.length < count - 1) {
    if (lacing === 1) {
      let size = 0;
      let byte;
      do {
        byte = body[from] ?? refuse('is no valid WebM file');
        size += byte;
        from += 1;
      } while (byte === 255);
      sizes.push(size);
    } else {
      const { value = 0, length } = vint(body, from);
      sizes.push(sizes.length === 0 ? value : sizes.at(-1) + value - (2 ** (7 * length - 1) - 1));
      from += length;
    }
  }
  const last = body.length - from - sizes.reduce((sum, size) => sum + size, 0);
  if (last < 0 || sizes.some((size) => size < 0)) refuse('is no valid WebM file');
  return { sizes: [...sizes, last], from };
};

const blockSeconds = (body, lacing) => {
  const { sizes, from } = lacedSizes(body, lacing);
  let at = from;
  let seconds = 0;
  for (const size of sizes) {
    seconds += opusSeconds(size > 0 ? body[at] : undefined, size > 1 ? body[at + 1] : undefined);
    at += size;
  }
  return seconds;
};

const webmSeconds = (file) => {
  const tracks = [];
  const blocks = [];
  let [segments, scale, duration, time, latest] = [0, 1_000_000, 0, 0, 0];
  for (let at = 0; at < file.length;) {
    const id = vint(file, at, true);
    const size = vint(file, at + id.length);
    const body = at + id.length + size.length;
    const entered = EBML_ENTERED.includes(id.value);
    if (size.value === undefined && !entered) refuse('is no valid WebM file');
    const end = entered ? body : body + size.value;
    if (end > file.length) refuse('is cut off');
    const bytes = file.subarray(body, end);
    const track = tracks.at(-1);
    switch (id.value) {
      case EBML.SEGMENT:
        segments += 1;
        break;
      case EBML.HEADER:
        if (at > 0) refuse('has more than one WebM segment');
        break;
      case EBML.SCALE:
        scale = unsigned(bytes);
        break;
      case EBML.DURATION:
        duration = bytes.length === 8 ? bytes.readDoubleBE() : bytes.length === 4 ? bytes.readFloatBE() : 0;
        break;
      case EBML.TRACK:
        tracks.push({});
        break;
      case EBML.NUMBER:
        if (track !== undefined) track.number = unsigned(bytes);
        break;
      case EBML.TYPE:
        if (track !== undefined) track.type = unsigned(bytes);
        break;
      case EBML.CODEC:
        if (track !== undefined) track.codec = bytes.toString('latin1');
        break;
      case EBML.ENCODINGS:
      case EBML.ENCRYPTED_BLOCK:
        refuse('is a WebM file with encoded blocks');
        break;
      case EBML.TIME:
        time = unsigned(bytes);
        break;
      case EBML.BLOCK:
      case EBML.SIMPLE_BLOCK: {
        const number = vint(bytes, 0);
        if (bytes.length < number.length + 3) refuse('is no valid WebM file');
        latest = Math.max(latest, time + bytes.readInt16BE(number.length));
        const lacing = (bytes[number.length + 2] >> 1) & 3;
        blocks.push({ number: number.value, lacing, body: bytes.subarray(number.length + 3) });
        break;
      }
      default:
    }
    at = end;
  }
  if (segments !== 1) refuse('has more than one WebM segment');
  const sound = tracks.filter(({ type }) => type === AUDIO);
  if (sound.length !== 1) refuse('has more than one track of sound, or none');
  if (sound[0].codec !== 'A_OPUS') refuse('is a WebM file of another codec than Opus');
  const sum = blocks
    .filter(({ number }) => number === sound[0].number)
    .reduce((seconds, { body, lacing }) => seconds + blockSeconds(body, lacing), 0);
  return Math.max(sum, (Math.max(duration, latest) * scale) / 1e9);
};

module.exports = { webmSeconds };
