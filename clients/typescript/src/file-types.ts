interface FileType {
  readonly type: string;
  readonly ending: string;
}

const MAGIC: readonly (readonly [at: number, bytes: string, type: string, ending: string])[] = [
  [0, '\x89PNG', 'image/png', '.png'],
  [0, '\xff\xd8\xff', 'image/jpeg', '.jpg'],
  [0, 'GIF8', 'image/gif', '.gif'],
  [8, 'WEBP', 'image/webp', '.webp'],
  [4, 'ftypavif', 'image/avif', '.avif'],
  [4, 'ftyp', 'video/mp4', '.mp4'],
  [0, '\x1aE\xdf\xa3', 'video/webm', '.webm'],
  [8, 'WAVE', 'audio/wav', '.wav'],
  [0, 'ID3', 'audio/mpeg', '.mp3'],
  [0, 'OggS', 'audio/ogg', '.ogg'],
  [0, '%PDF-', 'application/pdf', '.pdf'],
  [0, 'PK\x03\x04', 'application/zip', '.zip'],
];

/** The type of a file from its first bytes, because the type that the sender claims proves nothing. */
export const sniffed = (bytes: Uint8Array): FileType | undefined => {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  const [, , type, ending] = MAGIC.find(([at, magic]) => head.startsWith(magic, at)) ?? [];
  return type === undefined || ending === undefined ? undefined : { type, ending };
};
