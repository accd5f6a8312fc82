const { opusSeconds } = require('./opus.cjs');
const { RATE, refuse, tagAt } = require('./refused.cjs');

/** The boxes that contain the boxes this reader needs. */
const ENTERED = ['moov', 'trak', 'edts', 'mdia', 'minf', 'stbl', 'moof', 'traf'];
const UNKNOWN_32 = 0xffff_ffff;
/** The sample rates of AAC, by their index. */
const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];
const AAC_LC = 2;
/** Spectral band replication, without and with parametric stereo: its packets have the core's rate. */
const AAC_SBR = [5, 29];
const AAC_SAMPLES = 1_024;
/** No frame of AAC is larger for each channel (ISO/IEC 14496-3). A larger sample contains several frames. */
const AAC_FRAME_BYTES_MAX = 768;
const MPEG_4_AUDIO = 0x40;
const MPEG_2_AAC_LC = 0x67;

const boxAt = (file, at, end) => {
  if (at + 8 > end) refuse('is no valid MP4 file');
  const size = file.readUInt32BE(at);
  const isLong = size === 1;
  if (isLong && at + 16 > end) refuse('is no valid MP4 file');
  const bytes = isLong ? Number(file.readBigUInt64BE(at + 8)) : size === 0 ? end - at : size;
  const head = isLong ? 16 : 8;
  if (bytes < head || at + bytes > end) refuse('is cut off');
  return { type: tagAt(file, at + 4), body: at + head, end: at + bytes };
};

/** All boxes that this reader enters or reads, as a tree. */
const boxesIn = (file, from, end) => {
  const boxes = [];
  for (let at = from; at < end;) {
    const box = boxAt(file, at, end);
    boxes.push({
      type: box.type,
      bytes: file.subarray(box.body, box.end),
      boxes: ENTERED.includes(box.type) ? boxesIn(file, box.body, box.end) : [],
    });
    at = box.end;
  }
  return boxes;
};

const allOf = ({ boxes }, type) => boxes.filter((box) => box.type === type);

/** The one box of this type at the end of a path. */
const oneOf = (box, ...path) =>
  path.reduce((parent, type) => {
    const [only, ...more] = allOf(parent, type);
    return only === undefined || more.length > 0
      ? refuse(`is an MP4 file without exactly one ${type}`)
      : only;
  }, box);

const needs = (bytes, length) => {
  if (bytes.length < length) refuse('is no valid MP4 file');
};

/** The scale and the duration of a movie or a track. */
const timesOf = ({ bytes }) => {
  const isLong = bytes[0] === 1;
  needs(bytes, isLong ? 32 : 20);
  const scale = bytes.readUInt32BE(isLong ? 20 : 12);
  if (scale === 0) refuse('is no valid MP4 file');
  const units = isLong ? Number(bytes.readBigUInt64BE(24)) : bytes.readUInt32BE(16);
  return { scale, seconds: units === UNKNOWN_32 || units > Number.MAX_SAFE_INTEGER ? 0 : units / scale };
};

/** A table of numbers: a version, a count, and as many rows. */
const rowsOf = ({ bytes }, rowBytes, read) => {
  needs(bytes, 8);
  const count = bytes.readUInt32BE(4);
  needs(bytes, 8 + count * rowBytes);
  return Array.from({ length: count }, (_, row) => read(bytes, 8 + row * rowBytes));
};

/** The seconds that the edit list plays: it may play a part of the track many times. */
const editedSeconds = (track, movieScale) => {
  let units = 0;
  for (const list of allOf(track, 'edts').flatMap((edits) => allOf(edits, 'elst'))) {
    const isLong = list.bytes[0] === 1;
    const lengths = rowsOf(list, isLong ? 20 : 12, (bytes, at) =>
      isLong ? Number(bytes.readBigUInt64BE(at)) : bytes.readUInt32BE(at),
    );
    for (const length of lengths) units += length;
  }
  return units / movieScale;
};

/** The sizes of the samples in the table of the track. A constant size may stand for any count. */
const sizesIn = (table) => {
  const { bytes } = oneOf(table, 'stsz');
  needs(bytes, 12);
  const [constant, count] = [bytes.readUInt32BE(4), bytes.readUInt32BE(8)];
  if (constant > 0) return { count, largest: constant, sizeOf: () => constant };
  needs(bytes, 12 + 4 * count);
  let largest = 0;
  for (let sample = 0; sample < count; sample += 1)
    largest = Math.max(largest, bytes.readUInt32BE(12 + 4 * sample));
  return { count, largest, sizeOf: (sample) => bytes.readUInt32BE(12 + 4 * sample) };
};

/** The number of samples in the fragments of the track. */
const fragmentedSamples = (root, trackId) => {
  let count = 0;
  for (const part of allOf(root, 'moof').flatMap((fragment) => allOf(fragment, 'traf'))) {
    const { bytes } = oneOf(part, 'tfhd');
    needs(bytes, 8);
    if (bytes.readUInt32BE(4) !== trackId) continue;
    for (const run of allOf(part, 'trun')) {
      needs(run.bytes, 8);
      count += run.bytes.readUInt32BE(4);
    }
  }
  return count;
};

/** A descriptor of MPEG-4 systems: its length has seven bits in each byte. */
const descriptorAt = (bytes, from, tag) => {
  if (bytes[from] !== tag) refuse('is an MP4 file of another codec than AAC or Opus');
  let [length, at] = [0, from + 1];
  for (let more = true; more; at += 1) {
    needs(bytes, at + 1);
    length = length * 128 + (bytes[at] & 0x7f);
    more = bytes[at] > 0x7f;
    if (at - from > 4) refuse('is no valid MP4 file');
  }
  needs(bytes, at + length);
  return { at, end: at + length };
};

const bitsOf = (bytes) => {
  let at = 0;
  return (count) => {
    let value = 0;
    for (let bit = 0; bit < count; bit += 1, at += 1)
      value = value * 2 + (((bytes[at >> 3] ?? refuse('is no valid MP4 file')) >> (7 - (at & 7))) & 1);
    return value;
  };
};

/** The rate of the core, and the channels. Each packet has 1,024 samples of the core, whatever rate it is played at. */
const aacOf = (entry) => {
  const at = entry.indexOf('esds', 0, 'latin1');
  if (at === -1 || entry.includes('esds', at + 4)) refuse('is an MP4 file of another codec than AAC or Opus');
  const bytes = entry.subarray(at + 8);
  const stream = descriptorAt(bytes, 0, 3);
  needs(bytes, stream.at + 3);
  if (bytes[stream.at + 2] >> 5 !== 0) refuse('is an MP4 file of another codec than AAC or Opus');
  const config = descriptorAt(bytes, stream.at + 3, 4);
  needs(bytes, config.at + 13);
  if (![MPEG_4_AUDIO, MPEG_2_AAC_LC].includes(bytes[config.at]))
    refuse('is an MP4 file of another codec than AAC or Opus');
  const special = descriptorAt(bytes, config.at + 13, 5);
  const read = bitsOf(bytes.subarray(special.at, special.end));
  const rateOf = () => {
    const index = read(4);
    return index === 15 ? read(24) : AAC_RATES[index];
  };
  let type = read(5);
  const rate = rateOf();
  const channels = read(4);
  if (AAC_SBR.includes(type)) {
    rateOf();
    type = read(5);
  }
  if (type !== AAC_LC || channels === 0 || channels > 7 || !(rate >= RATE.min && rate <= 96_000))
    refuse('is an MP4 file of another kind of AAC than LC or HE');
  return { rate, channels: channels === 7 ? 8 : channels };
};

/** The places of the samples in the file, by the chunks that contain them. */
const placesOf = (table, { count, sizeOf }) => {
  const [long] = allOf(table, 'co64');
  const chunks =
    long === undefined
      ? rowsOf(oneOf(table, 'stco'), 4, (bytes, at) => bytes.readUInt32BE(at))
      : rowsOf(long, 8, (bytes, at) => Number(bytes.readBigUInt64BE(at)));
  const runs = rowsOf(oneOf(table, 'stsc'), 12, (bytes, at) => ({
    first: bytes.readUInt32BE(at),
    samples: bytes.readUInt32BE(at + 4),
  }));
  const places = [];
  let run = 0;
  for (const [index, chunk] of chunks.entries()) {
    while (run + 1 < runs.length && runs[run + 1].first <= index + 1) run += 1;
    let at = chunk;
    for (let sample = 0; sample < (runs[run]?.samples ?? 0) && places.length < count; sample += 1) {
      places.push(at);
      at += sizeOf(places.length - 1);
    }
  }
  if (places.length !== count) refuse('is an MP4 file whose tables contradict each other');
  return places;
};

const opusSum = (file, table, sizes) => {
  let seconds = 0;
  for (const [sample, at] of placesOf(table, sizes).entries()) {
    const size = sizes.sizeOf(sample);
    if (at + size > file.length) refuse('is cut off');
    seconds += opusSeconds(size > 0 ? file[at] : undefined, size > 1 ? file[at + 1] : undefined);
  }
  return seconds;
};

const packetSeconds = (file, root, track, trackId) => {
  const table = oneOf(track, 'mdia', 'minf', 'stbl');
  const { bytes } = oneOf(table, 'stsd');
  needs(bytes, 16);
  if (bytes.readUInt32BE(4) !== 1) refuse('changes its codec');
  const entry = boxAt(bytes, 8, bytes.length);
  const sizes = sizesIn(table);
  // Without this, a file of a few bytes could claim billions of samples, and keep the reader busy.
  if (sizes.count > file.length) refuse('is an MP4 file whose tables contradict each other');
  const inFragments = fragmentedSamples(root, trackId);
  if (entry.type === 'Opus') {
    if (inFragments > 0) refuse('is a fragmented MP4 file with Opus');
    return opusSum(file, table, sizes);
  }
  if (entry.type !== 'mp4a') refuse('is an MP4 file of another codec than AAC or Opus');
  const { rate, channels } = aacOf(bytes.subarray(entry.body, entry.end));
  if (sizes.largest > AAC_FRAME_BYTES_MAX * channels) refuse('has several AAC frames in one sample');
  return ((sizes.count + inFragments) * AAC_SAMPLES) / rate;
};

/** The seconds by the table of times. */
const tableSeconds = (track, scale) => {
  const rows = rowsOf(oneOf(track, 'mdia', 'minf', 'stbl', 'stts'), 8, (bytes, at) => [
    bytes.readUInt32BE(at),
    bytes.readUInt32BE(at + 4),
  ]);
  return rows.reduce((sum, [count, units]) => sum + count * units, 0) / scale;
};

const m4aSeconds = (file) => {
  const root = { boxes: boxesIn(file, 0, file.length) };
  const movie = oneOf(root, 'moov');
  const isSound = (track) => tagAt(oneOf(track, 'mdia', 'hdlr').bytes, 8) === 'soun';
  const tracks = allOf(movie, 'trak').filter(isSound);
  if (tracks.length !== 1) refuse('has more than one track of sound, or none');
  const [track] = tracks;
  const { bytes: head } = oneOf(track, 'tkhd');
  needs(head, 24);
  const trackId = head.readUInt32BE(head[0] === 1 ? 20 : 12);
  const whole = timesOf(oneOf(movie, 'mvhd'));
  const media = timesOf(oneOf(track, 'mdia', 'mdhd'));
  return Math.max(
    packetSeconds(file, root, track, trackId),
    whole.seconds,
    media.seconds,
    editedSeconds(track, whole.scale),
    tableSeconds(track, media.scale),
  );
};

module.exports = { m4aSeconds };
