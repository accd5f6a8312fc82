import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { type ChildLimits, inChild } from '../threads/child';
import { type ThreadLimits, inThread } from '../threads/thread';
import { withMemoryMax } from './wasm-memory';

/**
 * The most memory of the library in a thread, in pages of 64 KB; a file that needs more fails. The heap limit of a
 * thread does not count this memory. Signing needs four times the size of the file. A file to read has at most 18 MB.
 */
const PAGES_MAX = { sign: 12_288, read: 4_096 };
type Use = keyof typeof PAGES_MAX;

/** The official library reads and writes manifests. It is WebAssembly, so it is compiled once for all threads. */
let signer: Promise<object> | undefined;
/** The bytes of the same library, for the processes that read. */
let readable: Promise<Buffer> | undefined;
const READ_SCRIPT = join(__dirname, 'manifest-read.cjs');

/** Node's types do not declare `WebAssembly`. */
const { WebAssembly: engine } = globalThis as unknown as {
  readonly WebAssembly: { compile(bytes: Uint8Array): Promise<object> };
};

const moduleFor = async (use: Use): Promise<Buffer> =>
  withMemoryMax(await readFile(require.resolve('@contentauth/c2pa-wasm/c2pa.wasm')), PAGES_MAX[use]);

const libraryUrl = (): string => pathToFileURL(require.resolve('@contentauth/c2pa-wasm')).href;

const compileSigner = async (): Promise<object> => engine.compile(await moduleFor('sign'));

/**
 * Files come from providers and from strangers, so the library gets no network. It reads files in parts with
 * `FileReaderSync`, as in a browser's worker. Node has no such class, so this code defines one.
 */
const PREAMBLE = `
  const { closeSync, fstatSync, openSync, readFileSync, readSync, writeFileSync } = require('node:fs');
  delete globalThis.fetch;
  class FilePart {
    constructor(file, from, to) { Object.assign(this, { file, from, size: Math.max(0, to - from) }); }
    slice(from, to) { return new FilePart(this.file, this.from + from, this.from + Math.min(to, this.size)); }
    read() {
      const bytes = new Uint8Array(this.size);
      let read = 0;
      while (read < bytes.length) {
        const more = readSync(this.file, bytes, read, bytes.length - read, this.from + read);
        if (more === 0) throw new Error('The file has become shorter.');
        read += more;
      }
      return bytes.buffer;
    }
  }
  globalThis.FileReaderSync = class { readAsArrayBuffer(part) { return part.read(); } };
  const library = async () => {
    const c2pa = await import(workerData.library);
    c2pa.initSync({ module: workerData.module });
    return c2pa;
  };
  const failed = (error) => ({ failed: String(error).slice(0, 500) });
`;

const SETTINGS = `
  const context = () => JSON.stringify({
    verify: { remote_manifest_fetch: false, ocsp_fetch: false, verify_after_sign: true },
    builder: { thumbnail: { enabled: false } },
  });
  // A file without a manifest is not a failure.
  const storeOf = ({ WasmReader }) =>
    WasmReader.fromBytes(workerData.mime, readFileSync(workerData.path), context()).then(
      (reader) => JSON.parse(reader.json()),
      (error) => {
        if (/JumbfNotFound/.test(String(error))) return undefined;
        throw error;
      },
    );
`;

const SIGN = `
  const sign = async () => {
    const c2pa = await library();
    const { path, signed, mime, definition, algorithm, reserve, hint } = workerData;
    const has = hint && (await storeOf(c2pa).catch(() => undefined)) !== undefined;
    const builder = c2pa.WasmBuilder.fromJson(JSON.stringify(definition[has ? 'published' : 'created']), context());
    if (has) builder.setIntent('edit');
    const file = openSync(path, 'r');
    const source = new FilePart(file, 0, fstatSync(file).size);
    const signer = { alg: algorithm, reserveSize: reserve, sign: (bytes) => more(bytes) };
    const bytes = await builder.sign(signer, [], mime, source);
    closeSync(file);
    writeFileSync(signed, bytes, { mode: 0o600 });
    return { isSigned: true };
  };
  run(() => sign().catch(failed));
`;

interface Failed {
  readonly failed: string;
}

export interface Signing {
  readonly path: string;
  /** The path of the signed copy. */
  readonly signed: string;
  readonly mime: string;
  /** Whether the bytes of a manifest were found in the file. */
  readonly hint: boolean;
  readonly definition: Readonly<Record<'created' | 'published', object>>;
  readonly algorithm: string;
  readonly reserve: number;
}

/**
 * Returns the reason if signing failed. The key stays outside of the thread; the thread requests the signature of
 * bytes.
 */
export const signInThread = async (
  signing: Signing,
  limits: ThreadLimits,
  signature: (bytes: Uint8Array) => Uint8Array,
): Promise<string | undefined> => {
  const supply = (question: unknown): Uint8Array => signature(question as Uint8Array);
  signer ??= compileSigner();
  const answer = await inThread<{ readonly isSigned: true } | Failed>(
    PREAMBLE + SETTINGS + SIGN,
    { ...signing, library: libraryUrl(), module: await signer },
    limits,
    supply,
  );
  if (answer === undefined) return 'The thread ended, or was late.';
  return 'failed' in answer ? answer.failed : undefined;
};

interface SignatureInfo {
  readonly issuer?: string;
  readonly common_name?: string;
  /** The serial number in decimal. */
  readonly cert_serial_number?: string;
}

/** The manifests of a file in the library's JSON, with only the fields that this service reads. */
export interface ManifestStore {
  readonly validation_state?: string;
  readonly active_manifest?: string;
  readonly manifests?: Readonly<Record<string, { readonly signature_info?: SignatureInfo }>>;
}

/** Undefined if the process ended or took too long. */
export const readInChild = async (
  file: { readonly bytes: Uint8Array; readonly mime: string; readonly anchors: string },
  limits: ChildLimits,
): Promise<{ readonly store?: ManifestStore } | Failed | undefined> => {
  readable ??= moduleFor('read');
  return inChild(READ_SCRIPT, { ...file, library: libraryUrl(), module: await readable }, limits);
};
