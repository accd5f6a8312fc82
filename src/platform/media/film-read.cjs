// Reads the packet of every frame of a film, because the table may name packets that are not in the file. It runs in a
// child process, because a stranger made the file.
const { Worker } = require('node:worker_threads');

const look = async ({ path, library, formats }) => {
  const { EncodedPacketSink, FilePathSource, Input, ...known } = require(library);
  const input = new Input({ source: new FilePathSource(path), formats: formats.map((name) => known[name]) });
  const track = await input.getPrimaryVideoTrack();
  if (track === null) return NONE;
  const config = await track.getDecoderConfig();
  const lengthBytes = lengthBytesOf(track.codec, config?.description);
  let pictures = 0;
  let seconds = 0;
  let whole = true;
  for await (const packet of new EncodedPacketSink(track).packets()) {
    if (pictures === 0 && packet.type !== 'key') whole = false;
    pictures += 1;
    seconds = Math.max(seconds, packet.timestamp + packet.duration);
    if (packet.data.length === 0) whole = false;
    else if (lengthBytes > 0 && !addsUp(packet.data, lengthBytes)) whole = false;
  }
  return {
    seconds: Math.max(seconds, await input.computeDuration()),
    pixels: (await track.getCodedWidth()) * (await track.getCodedHeight()),
    pictures,
    whole: whole && pictures > 0,
  };
};

const NONE = { seconds: 0, pixels: 0, pictures: 0, whole: false };

/** Units of H.264 and H.265 contain their lengths, whose sum must be the length of the packet. */
const lengthBytesOf = (codec, description) => {
  if (description === undefined) return 0;
  const bytes = new Uint8Array(description.buffer ?? description, description.byteOffset ?? 0);
  if (codec === 'avc') return (bytes[4] & 3) + 1;
  return codec === 'hevc' ? (bytes[21] & 3) + 1 : 0;
};

const addsUp = (data, lengthBytes) => {
  let at = 0;
  while (at + lengthBytes <= data.length) {
    let length = 0;
    for (let byte = 0; byte < lengthBytes; byte += 1) length = length * 256 + data[at + byte];
    if (length === 0) return false;
    at += lengthBytes + length;
  }
  return at === data.length;
};

/** Ends this process also if its parent died while the file kept it busy. */
const WATCHDOG =
  'setTimeout(() => process.kill(process.pid, "SIGKILL"), require("node:worker_threads").workerData)';

// A supervisor sends these to the whole group. The work ends with its result, and the parent ends this process.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => undefined);

process.on('message', (asked) => {
  new Worker(WATCHDOG, { eval: true, workerData: 2 * asked.milliseconds }).unref();
  look(asked).then(
    (result) => process.send({ result }),
    () => process.send({ result: NONE }),
  );
});
