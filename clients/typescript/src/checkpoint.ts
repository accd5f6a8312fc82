import { type Sha256, concat, sameBytes } from './tree.ts';

/** A proof has failed, or is missing. */
export class ProofFailed extends Error {
  override readonly name = 'ProofFailed';
}

/** @internal */
export const bytesOfBase64 = (text: string): Uint8Array<ArrayBuffer> => {
  try {
    return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  } catch {
    throw new ProofFailed('A hash is not written in base64.');
  }
};

/** @internal */
export const base64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

const ED25519 = 1;
const COSIGNATURE = 4;
const ID_BYTES = 4;
const TIME_BYTES = 8;

/** A key that proves signed notes: `name+id+key`, as C2SP signed-note writes it. */
export interface Verifier {
  readonly name: string;
  readonly id: Uint8Array;
  readonly type: number;
  readonly key: Uint8Array<ArrayBuffer>;
}

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const text = (words: string): Uint8Array<ArrayBuffer> => new Uint8Array(new TextEncoder().encode(words));

const keyIdOf = async (sha256: Sha256, name: string, type: number, key: Uint8Array): Promise<Uint8Array> =>
  (await sha256(concat(text(`${name}\n`), Uint8Array.of(type), key))).slice(0, ID_BYTES);

/** @internal */
export const verifierOf = async (sha256: Sha256, vkey: string): Promise<Verifier> => {
  const [, name = '', hex = '', encoded = ''] =
    /^([^+\s]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/.exec(vkey) ?? [];
  const bytes = bytesOfBase64(encoded);
  const [type = 0] = bytes;
  const key = bytes.slice(1);
  const id = await keyIdOf(sha256, name, type, key);
  if (key.length !== 32 || (type !== ED25519 && type !== COSIGNATURE) || hexOf(id) !== hex)
    throw new ProofFailed(`This is no verifier key: ${vkey.slice(0, 200)}`);
  return { name, id, type, key };
};

/** The signed state of a log. */
export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Uint8Array<ArrayBuffer>;
  /** The signed text. */
  readonly text: string;
  readonly note: string;
  /** The names of the keys with a good signature. */
  readonly signers: readonly string[];
}

const isSigned = async (
  { type, key }: Verifier,
  signature: Uint8Array<ArrayBuffer>,
  signed: string,
): Promise<boolean> => {
  const imported = await crypto.subtle.importKey('raw', key, 'Ed25519', false, ['verify']);
  if (type === ED25519) return crypto.subtle.verify('Ed25519', imported, signature, text(signed));
  if (signature.length !== TIME_BYTES + 64) return false;
  const time = new DataView(signature.buffer, signature.byteOffset).getBigUint64(0);
  const message = text(`cosignature/v1\ntime ${time}\n${signed}`);
  return crypto.subtle.verify('Ed25519', imported, signature.slice(TIME_BYTES), message);
};

const SIGNATURES_MAX = 100;

/**
 * Reads a signed note: its text, and its valid signatures by these verifiers. A single wrong signature makes the note
 * invalid.
 */
const openNote = async (
  note: string,
  verifiers: readonly Verifier[],
): Promise<{ readonly text: string; readonly signers: readonly Verifier[] }> => {
  const end = note.lastIndexOf('\n\n');
  const lines = note.slice(end + 2).split('\n');
  const isMalformed =
    end < 0 ||
    lines.pop() !== '' ||
    lines.length === 0 ||
    lines.length > SIGNATURES_MAX ||
    /[^\P{Cc}\n]/u.test(note);
  if (isMalformed) throw new ProofFailed('The checkpoint is not a signed note.');
  const signed = note.slice(0, end + 1);
  const signers: Verifier[] = [];
  for (const line of lines) {
    const [, name, encoded = ''] = /^— ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line) ?? [];
    if (name === undefined) throw new ProofFailed('The checkpoint is not a signed note.');
    const bytes = bytesOfBase64(encoded);
    const verifier = verifiers.find(
      (one) => one.name === name && sameBytes(one.id, bytes.slice(0, ID_BYTES)),
    );
    if (verifier === undefined || signers.includes(verifier)) continue;
    if (!(await isSigned(verifier, bytes.slice(ID_BYTES), signed)))
      throw new ProofFailed(`The signature of ${name} on the checkpoint is wrong.`);
    signers.push(verifier);
  }
  return { text: signed, signers };
};

/** A checkpoint that one of the log's keys has signed. @internal */
export const openCheckpoint = async (note: string, verifiers: readonly Verifier[]): Promise<Checkpoint> => {
  const { text: signed, signers } = await openNote(note, verifiers);
  const [origin = '', count = '', hash = ''] = signed.split('\n');
  const size = Number(count);
  const root = bytesOfBase64(hash);
  if (!/^(0|[1-9]\d*)$/.test(count) || !Number.isSafeInteger(size) || root.length !== 32)
    throw new ProofFailed('The checkpoint names no tree.');
  if (!signers.some(({ name, type }) => name === origin && type === ED25519))
    throw new ProofFailed(`The checkpoint is not signed by the key of the log ${origin}.`);
  return { origin, size, root, text: signed, note, signers: signers.map(({ name }) => name) };
};

/** Signs a note as a witness. The signature includes the time in seconds. @internal */
export const cosignatureLine = async (
  sha256: Sha256,
  checkpointText: string,
  {
    name,
    publicKey,
    sign,
  }: {
    readonly name: string;
    readonly publicKey: Uint8Array;
    readonly sign: (bytes: Uint8Array) => Uint8Array;
  },
  seconds: number,
): Promise<string> => {
  const time = new Uint8Array(TIME_BYTES);
  new DataView(time.buffer).setBigUint64(0, BigInt(seconds));
  const signature = sign(text(`cosignature/v1\ntime ${seconds}\n${checkpointText}`));
  const id = await keyIdOf(sha256, name, COSIGNATURE, publicKey);
  return `— ${name} ${base64(concat(id, time, signature))}\n`;
};

/** The verifier key of a witness. @internal */
export const witnessKey = async (sha256: Sha256, name: string, publicKey: Uint8Array): Promise<string> =>
  `${name}+${hexOf(await keyIdOf(sha256, name, COSIGNATURE, publicKey))}+${base64(concat(Uint8Array.of(COSIGNATURE), publicKey))}`;
