import { type Guest, Slots } from '../../kernel/slots';
import { inThread } from '../threads/thread';

const HEAP_MB_MAX = 128;
/**
 * The most concurrent probes, because a crafted file keeps one core busy until the time limit. Callers without money
 * share one probe.
 */
const slots = new Slots(2, { forGuests: 1 });

/** No camera records more frames a second, so somebody has changed the times of a film with more. */
const PICTURES_PER_SECOND_MAX = 240;

export interface Film {
  readonly seconds: number;
  /** Whether every frame is present and has the form of its codec, and the first one is a key frame. */
  readonly whole: boolean;
}

interface Look {
  readonly seconds: number;
  readonly pictures: number;
  readonly whole: boolean;
}

/** Reads the packet of every frame, because the table may name packets that are not in the file. */
const LOOK = `
  const { ALL_FORMATS, EncodedPacketSink, FilePathSource, Input } = require(workerData.library);
  // Units of H.264 and H.265 contain their lengths, whose sum must be the length of the packet.
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
  const NONE = { seconds: 0, pictures: 0, whole: false };
  const look = async () => {
    const input = new Input({ source: new FilePathSource(workerData.path), formats: ALL_FORMATS });
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
    return { seconds: Math.max(seconds, await input.computeDuration()), pictures, whole: whole && pictures > 0 };
  };
  run(() => look().catch(() => NONE));
`;

/**
 * The content of a film; undefined if reading took too long. It runs in a separate thread. A crafted file of a few
 * bytes that claims billions of frames would block this thread for minutes.
 */
export const probeFilm = (
  path: string,
  owner: string | Guest,
  milliseconds: number,
): Promise<Film | undefined> =>
  slots.run(async () => {
    const look = await inThread<Look>(
      LOOK,
      { path, library: require.resolve('mediabunny') },
      { milliseconds, heapMb: HEAP_MB_MAX },
    );
    return (
      look && { seconds: Math.max(look.seconds, look.pictures / PICTURES_PER_SECOND_MAX), whole: look.whole }
    );
  }, owner);
