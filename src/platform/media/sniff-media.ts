import { open } from 'node:fs/promises';

/**
 * The first bytes decide the type. The service never trusts a type that a server or a caller claims. It does not accept
 * SVG.
 */
const at = (bytes: Buffer, offset: number, text: string): boolean =>
  bytes.length >= offset + text.length && bytes.toString('latin1', offset, offset + text.length) === text;

const QUICKTIME = new Set(['qt  ']);
const IMAGE_BRANDS: Readonly<Record<string, string>> = { avif: 'image/avif', avis: 'image/avif' };

const isoBrand = (bytes: Buffer): string | undefined =>
  at(bytes, 4, 'ftyp') && bytes.length >= 12 ? bytes.toString('latin1', 8, 12) : undefined;

/** The media type of these bytes, or undefined if it is not accepted. It needs the first 16 bytes. */
export const sniffMedia = (bytes: Buffer): string | undefined => {
  if (at(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (at(bytes, 0, '\xff\xd8\xff')) return 'image/jpeg';
  if (at(bytes, 0, 'GIF87a') || at(bytes, 0, 'GIF89a')) return 'image/gif';
  if (at(bytes, 0, 'RIFF') && at(bytes, 8, 'WEBP')) return 'image/webp';
  if (at(bytes, 0, '\x1a\x45\xdf\xa3')) return 'video/webm';
  const brand = isoBrand(bytes);
  if (brand === undefined) return undefined;
  return IMAGE_BRANDS[brand] ?? (QUICKTIME.has(brand) ? 'video/quicktime' : 'video/mp4');
};

const SNIFFED_BYTES = 16;

/** The media type of a file. */
export const sniffFile = async (path: string): Promise<string | undefined> => {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
    return sniffMedia(buffer.subarray(0, bytesRead));
  } finally {
    await handle.close();
  }
};
