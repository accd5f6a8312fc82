const { OPUS_RATE, opusSeconds } = require('./opus.cjs');
const { refuse, tagAt } = require('./refused.cjs');

const NONE = Buffer.alloc(0);
/** The headers of a packet are in its first bytes. */
const KEPT_BYTES = 64;

/** The packets of an Ogg file with one stream, each as its first bytes; `granule` is the last position. */
const oggPackets = (file) => {
  const packets = [];
  let serial;
  let granule = 0;
  let pending;
  for (let at = 0; at < file.length;) {
    if (tagAt(file, at) !== 'OggS' || at + 27 > file.length) refuse('has other bytes between its Ogg pages');
    const flags = file[at + 5];
    const isFirst = at === 0;
    serial ??= file.readUInt32LE(at + 14);
    if (file.readUInt32LE(at + 14) !== serial || ((flags & 2) !== 0) !== isFirst)
      refuse('has more than one Ogg stream');
    if (((flags & 1) !== 0) !== (pending !== undefined))
      refuse('has an Ogg packet without its beginning or end');
    const position = file.readBigInt64LE(at + 6);
    if (position > granule) granule = Number(position);
    const lengths = file.subarray(at + 27, at + 27 + file[at + 26]);
    let body = at + 27 + lengths.length;
    for (const length of lengths) {
      pending = Buffer.concat([pending ?? NONE, file.subarray(body, body + length)]).subarray(0, KEPT_BYTES);
      body += length;
      if (length < 255) {
        packets.push(pending);
        pending = undefined;
      }
    }
    if (body > file.length) refuse('is cut off');
    at = body;
  }
  return { packets, granule };
};

const oggSeconds = (file) => {
  const { packets, granule } = oggPackets(file);
  const [head, tags, ...sound] = packets;
  if (head?.toString('latin1', 0, 8) !== 'OpusHead' || tags?.toString('latin1', 0, 8) !== 'OpusTags')
    refuse('is an Ogg file of another codec than Opus');
  const sum = sound.reduce((seconds, [first, second]) => seconds + opusSeconds(first, second), 0);
  return Math.max(sum, (granule - head.readUInt16LE(10)) / OPUS_RATE);
};

module.exports = { oggSeconds };
