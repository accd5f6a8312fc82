import { createHash } from 'node:crypto';

/** A key that signs notes. */
export interface NoteKey {
  readonly publicBytes: Buffer;
  sign(bytes: Buffer): Buffer;
}

/** The signature types: Ed25519 (C2SP signed-note), and the signature of a witness (C2SP tlog-cosignature). */
const ED25519 = 1;
export const COSIGNATURE = 4;

/** The first four bytes of SHA-256 over the name, a newline, the type and the key. */
const keyId = (name: string, type: number, publicBytes: Uint8Array): Buffer =>
  createHash('sha256')
    .update(`${name}\n`)
    .update(Buffer.from([type]))
    .update(publicBytes)
    .digest()
    .subarray(0, 4);

/** The verifier key of a name, with which readers check the notes of that name. */
export const verifierKey = (name: string, publicBytes: Uint8Array, type = ED25519): string =>
  `${name}+${keyId(name, type, publicBytes).toString('hex')}+${Buffer.concat([Buffer.from([type]), publicBytes]).toString('base64')}`;

export interface Verifier {
  readonly name: string;
  readonly id: Buffer;
  readonly type: number;
  readonly publicBytes: Buffer;
}

/** The parts of a verifier key; undefined if its id does not fit its name and key. */
export const parseVerifierKey = (text: string): Verifier | undefined => {
  const [, name = '', hex = '', encoded = ''] =
    /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  const bytes = Buffer.from(encoded, 'base64');
  const [type] = bytes;
  if (bytes.length !== 33 || (type !== ED25519 && type !== COSIGNATURE)) return undefined;
  const publicBytes = bytes.subarray(1);
  const id = keyId(name, type, publicBytes);
  return id.toString('hex') === hex ? { name, id, type, publicBytes } : undefined;
};

/** A line of a note: the name of the key, then its id and the signature. */
const signatureLine = (name: string, id: Uint8Array, signature: Uint8Array): string =>
  `— ${name} ${Buffer.concat([id, signature]).toString('base64')}\n`;

/** A text followed by the signatures of all keys. The text ends with a newline. */
export const signNote = (text: string, name: string, keys: readonly NoteKey[]): string =>
  `${text}\n${keys
    .map((key) => signatureLine(name, keyId(name, ED25519, key.publicBytes), key.sign(Buffer.from(text))))
    .join('')}`;

/** The text of a checkpoint, by C2SP tlog-checkpoint. */
export const checkpointText = (origin: string, size: number, root: Uint8Array): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`;

/** The signed text of a note, without its signatures. */
export const noteText = (note: string): string => note.slice(0, note.lastIndexOf('\n\n') + 1);

/** The note with only the signatures of this name, so without the signatures of witnesses. */
export const ownLines = (note: string, name: string): string => {
  const text = noteText(note);
  const signatures = note.slice(text.length + 1).split(/(?<=\n)/);
  return `${text}\n${signatures.filter((line) => line.startsWith(`— ${name} `)).join('')}`;
};
