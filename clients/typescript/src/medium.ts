import { sniffed } from './file-types.ts';
import type { CallOptions } from './options.ts';
import { platformFiles } from './platform-files.ts';

/** A picture or a clip to send: an address, a data URI, a path, a file, its bytes, or a stream of them. */
export type Source =
  | string
  | URL
  | Blob
  | Uint8Array
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

const typeOf = (bytes: Uint8Array): string => {
  const { type = '' } = sniffed(bytes) ?? {};
  if (!/^(image|video)\//.test(type))
    throw new TypeError('These bytes are no image and no video that is known here.');
  return type;
};

const PIECE = 0x8000;

const collected = async (pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of pieces) {
    parts.push(part);
    length += part.length;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

async function* readBy(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = stream.getReader();
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
}

const bytesOf = async (source: Exclude<Source, string | URL>): Promise<Uint8Array> => {
  if (source instanceof Uint8Array) return source;
  if (source instanceof ArrayBuffer) return new Uint8Array(source);
  // Some browsers can't iterate over a stream.
  if (source instanceof ReadableStream) return collected(readBy(source));
  if (typeof source === 'object' && Symbol.asyncIterator in source) return collected(source);
  throw new TypeError('A source is an address, a data URI, a Blob, bytes, or a stream of bytes.');
};

/** Reads a file at an address. */
export type Fetched = (url: string) => Promise<Blob>;

/** The file of a source that is an address or a path; undefined if the service reads the address itself. */
const fileAt = async (source: string | URL, fetched: Fetched): Promise<Blob | undefined> => {
  const url = source instanceof URL || /^(https?|file):/i.test(source) ? new URL(source) : undefined;
  if (url === undefined || url.protocol === 'file:') {
    const { readFile } = await platformFiles();
    return new Blob([new Uint8Array(await readFile(url ?? source))]);
  }
  // The service reads addresses only at the usual ports.
  return /^(|80|443)$/.test(url.port) ? undefined : fetched(url.href);
};

/** The bytes of a source, without the addresses that the service reads itself. */
export const blobOf = async (source: Source, fetched: Fetched): Promise<Blob | undefined> => {
  if (typeof source === 'string' || source instanceof URL) return fileAt(source, fetched);
  return source instanceof Blob ? source : new Blob([new Uint8Array(await bytesOf(source))]);
};

/** The medium in the form for a body. */
export const toMedia = async (source: Source, fetched: Fetched): Promise<string> => {
  if (typeof source === 'string' && source.startsWith('data:')) return source;
  const blob = await blobOf(source, fetched);
  if (blob === undefined) return (source as string | URL).toString();
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const type = /^(image|video)\//.test(blob.type) ? blob.type : typeOf(bytes);
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE)
    text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return `data:${type};base64,${btoa(text)}`;
};

/** Reads a file as a stream or as a whole. A read of the whole file starts again after an interruption. @internal */
export interface Files {
  open(options: CallOptions): Promise<Response>;
  blob(options: CallOptions): Promise<Blob>;
}

/** A file that was made, and its cost. */
export class Made {
  /** @internal */
  constructor(
    private readonly files: Files,
    readonly charge: Charge,
    /** The service's name of the request, for questions to its operator. */
    readonly requestId: string | undefined,
  ) {}

  /**
   * Its bytes as a stream.
   *
   * @example
   * const film = await lamppost.video('Waves at night');
   * let bytes = 0;
   * const reader = (await film.stream()).getReader();
   * for (let piece = await reader.read(); !piece.done; piece = await reader.read()) bytes += piece.value.length;
   */
  async stream(options: CallOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const { body } = await this.files.open(options);
    if (body === null) throw new TypeError('The file is empty.');
    return body;
  }

  /**
   * The file in the browser's form, with its type.
   *
   * @example
   * const { type, size } = await (await lamppost.image('A red fox')).blob();
   */
  async blob(options: CallOptions = {}): Promise<Blob> {
    return this.files.blob(options);
  }

  /**
   * Its bytes, whole.
   * @example
   * const { length } = await (await lamppost.image('A red fox')).bytes();
   */
  async bytes(options: CallOptions = {}): Promise<Uint8Array> {
    return new Uint8Array(await (await this.blob(options)).arrayBuffer());
  }

  /**
   * Writes it to a file, on platforms with files.
   *
   * @example
   * await (await lamppost.image('A red fox')).save('red-fox.png');
   */
  async save(path: string, options: CallOptions = {}): Promise<void> {
    const { writeFile } = await platformFiles();
    await writeFile(path, (await this.blob(options)).stream());
  }
}

/** A picture or a film. The client fetches its file on demand. */
export class Medium extends Made {
  /** @internal */
  constructor(
    readonly url: string,
    /** Its job, if the service named one. */
    readonly jobId: string | undefined,
    files: Files,
    paid: Pick<Made, 'charge' | 'requestId'>,
    /** The other results of a call with `n`. */
    readonly further: readonly Medium[] = [],
  ) {
    super(files, paid.charge, paid.requestId);
  }
}

/** The cost of a call. `GET /v1/agent/charges/{id}` shows it, and `receipts.get` reads it. */
export interface Charge {
  readonly id: string;
  readonly micro: number;
  /** The remaining prepaid balance. */
  readonly balanceMicro?: number;
}
