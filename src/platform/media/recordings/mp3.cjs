const { refuse, tagAt } = require('./refused.cjs');

const LAYER_3 = 1;
const MPEG_1 = 3;
const MP3_KBITS = {
  1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
};
const MP3_RATES = { 3: [44_100, 48_000, 32_000], 2: [22_050, 24_000, 16_000], 0: [11_025, 12_000, 8_000] };

/** The header of the frame at this place; undefined if there is none. */
const mp3Frame = (file, at) => {
  if (at + 4 > file.length || file[at] !== 0xff || (file[at + 1] & 0xe0) !== 0xe0) return undefined;
  const version = (file[at + 1] >> 3) & 3;
  const rate = MP3_RATES[version]?.[(file[at + 2] >> 2) & 3];
  const kbits = MP3_KBITS[version === MPEG_1 ? 1 : 2][file[at + 2] >> 4];
  if (((file[at + 1] >> 1) & 3) !== LAYER_3 || rate === undefined || kbits === undefined || kbits === 0)
    return undefined;
  const samples = version === MPEG_1 ? 1152 : 576;
  const padding = (file[at + 2] >> 1) & 1;
  const channels = file[at + 3] >> 6 === 3 ? 1 : 2;
  const bytes = Math.floor((samples / 8) * ((kbits * 1000) / rate)) + padding;
  return { bytes, samples, rate, channels, version };
};

const syncSafe = (file, at) => [0, 1, 2, 3].reduce((sum, by) => sum * 128 + (file[at + by] & 0x7f), 0);

const afterId3 = (file) => {
  let at = 0;
  while (file.toString('latin1', at, at + 3) === 'ID3' && at + 10 <= file.length) {
    if (file[at + 3] > 4 || file[at + 4] !== 0) refuse('has an ID3 tag of an unknown version');
    at += 10 + syncSafe(file, at + 6) + ((file[at + 5] & 0x10) === 0 ? 0 : 10);
  }
  return at;
};

/** The header of Xing and LAME, or of Fraunhofer, is a first frame that no player plays. */
const isMp3Header = (file, at, { version, channels, bytes }) => {
  const side = version === MPEG_1 ? (channels === 1 ? 17 : 32) : channels === 1 ? 9 : 17;
  const frame = file.subarray(at, at + bytes);
  return ['Xing', 'Info'].includes(tagAt(frame, 4 + side)) || tagAt(frame, 36) === 'VBRI';
};

const isMp3Tail = (rest) =>
  (rest.length === 128 && rest.toString('latin1', 0, 3) === 'TAG') ||
  /^(APETAGEX|LYRICSBEGIN)/.test(rest.toString('latin1', 0, 11)) ||
  rest.every((byte) => byte === 0);

const mp3Seconds = (file) => {
  let at = afterId3(file);
  while (file[at] === 0) at += 1;
  const first = mp3Frame(file, at);
  if (first === undefined) refuse('is no recording of a known format');
  let seconds = 0;
  if (isMp3Header(file, at, first)) at += first.bytes;
  while (at < file.length) {
    const frame = mp3Frame(file, at);
    if (frame === undefined) {
      const rest = file.subarray(at);
      // A tag at the end may hold a picture, but no frames that a player would find.
      if (!isMp3Tail(rest) || hasMp3Frames(rest)) refuse('has other bytes between its MP3 frames');
      break;
    }
    if (frame.rate !== first.rate || frame.channels !== first.channels || frame.version !== first.version)
      refuse('changes its MP3 channels or sample rate');
    seconds += frame.samples / frame.rate;
    at += frame.bytes;
  }
  return seconds;
};

const hasMp3Frames = (rest) => {
  for (let at = rest.indexOf(0xff); at !== -1; at = rest.indexOf(0xff, at + 1)) {
    const frame = mp3Frame(rest, at);
    if (frame !== undefined && mp3Frame(rest, at + frame.bytes) !== undefined) return true;
  }
  return false;
};

module.exports = { mp3Seconds };
