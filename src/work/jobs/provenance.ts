import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';

interface Origin {
  readonly model: string;
  readonly created: string;
  /** The address at which anybody can query the file's origin. It leads to no job and no charge. */
  readonly provenance: string;
}

/** Bytes to insert into a file. */
export interface Note {
  readonly at: number;
  readonly bytes: Buffer;
}

/** The signature and the header chunk, whose length is fixed. */
const PNG_HEADER_BYTES = 8 + 12 + 13;
/** Our own box type, a UUID by RFC 4122. Players skip unknown boxes. */
const LAMPPOST_UUID = Buffer.from('6c616d70706f73742d70726f76656e63', 'hex');
/** The formats in which files carry a signed manifest of their maker. */
const MANIFESTS = ['c2pa', 'caBX'] as const;

const pngChunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

const mp4Box = (data: Buffer): Buffer => {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + LAMPPOST_UUID.length + data.length);
  header.write('uuid', 4, 'latin1');
  return Buffer.concat([header, LAMPPOST_UUID, data]);
};

/**
 * The bytes to insert into a file of this type and size: its maker, its time and the address for queries. Files of
 * other types stay unchanged.
 */
export const noteFor = (mime: string, fileBytes: number, about: Origin): Note | undefined => {
  const text = Buffer.from(JSON.stringify({ generator: 'Lamppost', ...about, ai_generated: true }));
  switch (mime) {
    case 'image/png': // After the header chunk, where every reader looks for texts.
      return {
        at: PNG_HEADER_BYTES,
        bytes: pngChunk('iTXt', Buffer.concat([Buffer.from('Provenance\0\0\0\0\0', 'latin1'), text])),
      };
    case 'video/mp4': // At the end, so that no offset inside the file changes.
      return { at: fileBytes, bytes: mp4Box(text) };
    default:
      return undefined;
  }
};

/**
 * Searches for a manifest that the model's maker signed. Such files get no note of ours, because any change would break
 * the signature.
 */
export class ManifestSearch {
  found = false;

  async *watching(stream: Readable): AsyncGenerator<Buffer> {
    let before = Buffer.alloc(0);
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      const seen = Buffer.concat([before, chunk]);
      this.found ||= MANIFESTS.some((name) => seen.includes(name, 0, 'latin1'));
      before = Buffer.from(seen.subarray(-3)); // A name may be split across two pieces.
      yield chunk;
    }
  }
}
