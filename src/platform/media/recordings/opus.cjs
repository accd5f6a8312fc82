const { refuse } = require('./refused.cjs');

const OPUS_MS = [10, 20, 40, 60];
const OPUS_SHORT_MS = [2.5, 5, 10, 20];
const OPUS_RATE = 48_000;

/** RFC 6716, section 3.1: the first byte contains the length of a frame, and how the number of frames is coded. */
const opusSeconds = (first, second) => {
  if (first === undefined) refuse('has an empty Opus packet');
  const config = first >> 3;
  const ms =
    config < 12 ? OPUS_MS[config % 4] : config < 16 ? [10, 20][config % 2] : OPUS_SHORT_MS[config % 4];
  const code = first & 3;
  const frames = code === 0 ? 1 : code < 3 ? 2 : (second ?? 0) & 63;
  return frames === 0 ? refuse('has an empty Opus packet') : (frames * ms) / 1000;
};

module.exports = { OPUS_RATE, opusSeconds };
