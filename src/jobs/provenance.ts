import { crc32 } from 'node:zlib';

export interface Provenance {
  readonly model: string;
  readonly created: string;
  /** The charge whose receipt stands for this medium. */
  readonly receipt: string;
}

const PNG_SIGNATURE_BYTES = 8;
/** A box type of our own kind (RFC 4122 UUID), as players skip what they don't know. */
const LAMPPOST_UUID = Buffer.from('6c616d70706f73742d70726f76656e63', 'hex');

const sentence = ({ model, created, receipt }: Provenance): string =>
  JSON.stringify({ generator: 'Lamppost', model, created, receipt, ai_generated: true });

const pngChunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
};

/** After the header chunk, where every reader looks for texts. */
const markPng = (bytes: Buffer, text: string): Buffer => {
  const headerEnd = PNG_SIGNATURE_BYTES + 12 + bytes.readUInt32BE(PNG_SIGNATURE_BYTES);
  const chunk = pngChunk(
    'iTXt',
    Buffer.concat([Buffer.from('Provenance\0\0\0\0\0', 'latin1'), Buffer.from(text)]),
  );
  return Buffer.concat([bytes.subarray(0, headerEnd), chunk, bytes.subarray(headerEnd)]);
};

/** At the end, so that no offset inside the file moves. */
const markMp4 = (bytes: Buffer, text: string): Buffer => {
  const data = Buffer.from(text);
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + LAMPPOST_UUID.length + data.length);
  header.write('uuid', 4, 'latin1');
  return Buffer.concat([bytes, header, LAMPPOST_UUID, data]);
};

/** A signed manifest of the model's maker says more than we can, and any change would break its signature. */
const hasManifest = (bytes: Buffer): boolean =>
  bytes.includes('c2pa', 0, 'latin1') || bytes.includes('caBX', 0, 'latin1');

/** Writes into the file what made it, when, and under which receipt. Other types are kept as they are. */
export const withProvenance = (bytes: Buffer, mime: string, provenance: Provenance): Buffer => {
  if (hasManifest(bytes)) return bytes;
  if (mime === 'image/png') return markPng(bytes, sentence(provenance));
  if (mime === 'video/mp4') return markMp4(bytes, sentence(provenance));
  return bytes;
};
