import { type Guest, Slots } from '../../kernel/slots';
import { ifPresent } from '../../kernel/present';
import { inThread } from '../threads/thread';

const HEAP_MB_MAX = 128;
const PROBE_MS_MAX = 10_000;
/** The most concurrent probes, because a crafted file keeps one core busy until the time limit. */
const slots = new Slots(2, { perKey: 1 });

/**
 * Adds up the durations of all packets, each computed from the packet's own bytes. The times of a container may be
 * invented, but a model works on the decoded packets. The result is undefined for a codec that does not store the
 * duration in its packets.
 */
const LISTEN = `
  const { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } = require(workerData.library);
  const OPUS_MS = [10, 20, 40, 60];
  const OPUS_SHORT_MS = [2.5, 5, 10, 20];
  // RFC 6716, section 3.1: the first byte contains the length of a frame, and how the number of frames is coded.
  const opusSeconds = (data) => {
    if (data.length === 0) return undefined;
    const config = data[0] >> 3;
    const ms = config < 12 ? OPUS_MS[config % 4] : config < 16 ? [10, 20][config % 2] : OPUS_SHORT_MS[config % 4];
    const code = data[0] & 3;
    const frames = code === 0 ? 1 : code < 3 ? 2 : data.length > 1 ? data[1] & 63 : 0;
    return frames === 0 ? undefined : (frames * ms) / 1000;
  };
  const secondsOf = (codec, rate, container) => {
    if (codec === 'opus') return (packet) => opusSeconds(packet.data);
    if (codec === 'aac') return () => 1024 / rate;
    // Readers of these formats go from frame to frame, or count samples, so the duration of a packet is exact.
    if (codec === 'mp3' && container === 'MP3') return (packet) => packet.duration;
    if (/^pcm-|law$/.test(codec ?? '') && container === 'WAVE') return (packet) => packet.duration;
    return undefined;
  };
  const listen = async () => {
    const input = new Input({ source: new FilePathSource(workerData.path), formats: ALL_FORMATS });
    const tracks = await input.getAudioTracks();
    if (tracks.length !== 1) return undefined;
    const [track] = tracks;
    const container = (await input.getFormat()).name;
    const measure = secondsOf(track.codec, track.sampleRate, container);
    if (measure === undefined) return undefined;
    let seconds = 0;
    for await (const packet of new EncodedPacketSink(track).packets()) {
      const more = measure(packet);
      if (!(more > 0)) return undefined;
      seconds += more;
      if (seconds > workerData.secondsMax) return seconds;
    }
    return seconds;
  };
  run(() => listen().catch(() => undefined));
`;

/**
 * The duration of a sound file. The result is undefined if the duration can't be read exactly, or not in time. The
 * probe stops above `secondsMax`.
 */
export const probeAudio = (
  path: string,
  owner: string | Guest,
  secondsMax: number,
): Promise<number | undefined> =>
  slots.run(async () => {
    const seconds = await inThread<number>(
      LISTEN,
      { path, secondsMax, library: require.resolve('mediabunny') },
      { milliseconds: PROBE_MS_MAX, heapMb: HEAP_MB_MAX },
    );
    // The sum of thousands of fractions has a small error. Without rounding, this error could begin another billed
    // second.
    return ifPresent(seconds, (sum) => Math.round(sum * 1e6) / 1e6);
  }, owner);
