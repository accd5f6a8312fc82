import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

import { type Supply, type ThreadLimits, inThread } from '../threads/thread';
import { withMemoryMax } from './wasm-memory';

/**
 * The most memory of the library in a thread, in pages of 64 KB; a file that needs more fails. The heap limit of a
 * thread does not count this memory. Signing needs four times the size of the file. A file to read has at most 18 MB.
 */
const PAGES_MAX = { sign: 12_288, read: 4_096 };
type Use = keyof typeof PAGES_MAX;

/** The official library reads and writes manifests. It is WebAssembly, so it is compiled once for all threads. */
const compiled = new Map<Use, Promise<object>>();

/** Node's types do not declare `WebAssembly`. */
const { WebAssembly: engine } = globalThis as unknown as {
  readonly WebAssembly: { compile(bytes: Uint8Array): Promise<object> };
};

const compile = async (use: Use): Promise<object> =>
  engine.compile(
    withMemoryMax(await readFile(require.resolve('@contentauth/c2pa-wasm/c2pa.wasm')), PAGES_MAX[use]),
  );

const libraryFor = (use: Use): Promise<object> => {
  const made = compiled.get(use) ?? compile(use);
  compiled.set(use, made);
  return made;
};

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
  const context = (more) => JSON.stringify({
    verify: { remote_manifest_fetch: false, ocsp_fetch: false, verify_after_sign: true },
    builder: { thumbnail: { enabled: false } },
    ...more,
  });
  // A file without a manifest is not a failure.
  const storeOf = ({ WasmReader }, trust) =>
    WasmReader.fromBytes(workerData.mime, workerData.bytes ?? readFileSync(workerData.path), context({ trust })).then(
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

const READ = `
  const read = async () => ({ store: await storeOf(await library(), { trust_anchors: workerData.anchors }) });
  run(() => read().catch(failed));
`;

interface Failed {
  readonly failed: string;
}

const runLibrary = async <Result>(
  use: Use,
  code: string,
  data: Readonly<Record<string, unknown>>,
  limits: ThreadLimits,
  supply?: Supply,
): Promise<Result | Failed | undefined> => {
  const library = pathToFileURL(require.resolve('@contentauth/c2pa-wasm')).href;
  return inThread<Result | Failed>(
    PREAMBLE + SETTINGS + code,
    { ...data, library, module: await libraryFor(use) },
    limits,
    supply,
  );
};

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
  const answer = await runLibrary<{ readonly isSigned: true }>('sign', SIGN, { ...signing }, limits, supply);
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

/** Undefined if the thread ended or took too long. */
export const readInThread = (
  file: { readonly bytes: Uint8Array; readonly mime: string; readonly anchors: string },
  limits: ThreadLimits,
): Promise<{ readonly store?: ManifestStore } | Failed | undefined> => runLibrary('read', READ, file, limits);
