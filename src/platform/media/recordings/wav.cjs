const { RATE, refuse, tagAt } = require('./refused.cjs');

const PCM = 1;
const EXTENSIBLE = 0xfffe;
/** PCM, floats, A-law and µ-law: their samples have a fixed number of bytes. */
const WAV_BITS = { [PCM]: [8, 16, 24, 32], 3: [32, 64], 6: [8], 7: [8] };

const wavFormat = (fmt) => {
  if (fmt.length < 16) refuse('has an incomplete WAV format');
  const named = fmt.readUInt16LE(0);
  const tag = named === EXTENSIBLE && fmt.length >= 26 ? fmt.readUInt16LE(24) : named;
  const [channels, rate, perSecond] = [fmt.readUInt16LE(2), fmt.readUInt32LE(4), fmt.readUInt32LE(8)];
  const [block, bits] = [fmt.readUInt16LE(12), fmt.readUInt16LE(14)];
  if (WAV_BITS[tag]?.includes(bits) !== true)
    refuse('is a WAV file of another codec than PCM, A-law or µ-law');
  if (channels === 0 || rate < RATE.min || rate > RATE.max)
    refuse('is a WAV file without a usual sample rate');
  if (block !== (channels * bits) / 8 || perSecond !== rate * block)
    refuse('is a WAV file whose format contradicts itself');
  return perSecond;
};

const wavSeconds = (file) => {
  let perSecond;
  let data;
  let firstData = file.length;
  let hasHidden = false;
  for (let at = 12; at + 8 <= file.length;) {
    const id = tagAt(file, at);
    const size = file.readUInt32LE(at + 4);
    const body = at + 8;
    if (!/^[\x20-\x7e]{4}$/.test(id)) {
      if (file.subarray(at).some((byte) => byte !== 0)) refuse('has bytes behind its WAV chunks');
      break;
    }
    // A recorder that can't seek leaves the size open, and players then read to the end.
    const isOpen = id === 'data' && (size === 0 || body + size > file.length);
    const end = isOpen ? file.length : body + size;
    if (end > file.length) refuse('is cut off');
    if (id === 'fmt ') {
      if (perSecond !== undefined) refuse('has two WAV formats');
      perSecond = wavFormat(file.subarray(body, end));
    } else if (id === 'data') {
      if (data !== undefined) refuse('has two WAV data chunks');
      if (perSecond === undefined) refuse('has WAV data before its format');
      data = end - body;
      firstData = Math.min(firstData, body);
    } else if (id === 'LIST' && tagAt(file, body) === 'wavl') {
      refuse('has several parts of WAV data');
    } else {
      // Readers differ in where the next chunk begins, and some would find more data here. But the word is also in
      // comments and XMP, where no size follows it. Such a file costs all that such a reader could play.
      const hidden = file.subarray(body, end).indexOf('data');
      if (hidden !== -1) {
        const inside = body + hidden;
        if (inside + 8 <= file.length && file.readUInt32LE(inside + 4) <= file.length)
          refuse('has a second WAV data chunk');
        hasHidden = true;
        firstData = Math.min(firstData, inside);
      }
    }
    at = end + (size % 2);
  }
  if (data === undefined) refuse('has no WAV data');
  return (hasHidden ? file.length - firstData : data) / perSecond;
};

module.exports = { wavSeconds };
