import { Transform, type TransformCallback } from 'node:stream';

import type { Spool } from '../storage/spool';
import { DataFile, type Upload } from './data-file';
import { UploadTooSlow } from './media.errors';
import type { UploadPlaces } from './upload-places';

/** Strings up to this length stay in the body. */
const KEPT_BYTES_MAX = 64 * 1024;
/** A body that has come so far is a large one, and needs a place. */
const SMALL_BYTES_MAX = 1024 * 1024;
/** JSON may write a slash as `\/`. */
const HEAD = /^data:([\w.+-]{1,60})\\?\/([\w.+-]{1,60});base64,/i;
const HEAD_BYTES_MAX = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export interface ExtractorOptions {
  readonly spool: Spool;
  readonly places: UploadPlaces;
  /** The largest medium that is kept. */
  readonly dataBytesMax: number;
  readonly bodyBytesMax: number;
  /** What to answer when the body is larger. */
  readonly overflow: () => Error;
  readonly onUpload: (upload: Upload) => void;
}

/**
 * Takes large data URIs out of a JSON body while it streams in, decodes them to the disk and leaves a short name in
 * their place: the body that is parsed, hashed and kept stays small, whatever it carries.
 */
export class UploadExtractor extends Transform {
  /** Fastify compares this with the announced length. */
  receivedEncodedLength = 0;
  private inString = false;
  /** A backslash was the last byte of the chunk before. */
  private escaped = false;
  /** The beginning of a string that may yet turn out to be a large data URI. */
  private held: Buffer[] | undefined;
  private heldBytes = 0;
  private mime = '';
  private data: DataFile | undefined;
  private givePlaceBack: (() => void) | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly options: ExtractorOptions) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.receivedEncodedLength += chunk.length;
    // eslint-disable-next-line promise/no-callback-in-promise
    this.consume(chunk).then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    this.letHeldGo(); // A body that ends within a string is no JSON, which its parser says best.
    this.leave();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.leave();
    this.data?.drop();
    done(error);
  }

  private async consume(chunk: Buffer): Promise<void> {
    if (this.receivedEncodedLength > this.options.bodyBytesMax) throw this.options.overflow();
    if (this.receivedEncodedLength > SMALL_BYTES_MAX) await this.takePlace();
    let rest = chunk;
    while (rest.length > 0) {
      const end = this.inString ? this.endOfString(rest) : rest.indexOf(QUOTE);
      const part = end === -1 ? rest : rest.subarray(0, end);
      rest = rest.subarray(part.length + 1);
      if (this.inString) await this.readString(part);
      else this.push(part);
      if (end !== -1) await this.passQuote();
    }
  }

  /** The index of the closing quote, or -1. */
  private endOfString(bytes: Buffer): number {
    let at = this.escaped ? 1 : 0;
    this.escaped = false;
    for (let quote = bytes.indexOf(QUOTE, at); ;) {
      const backslash = bytes.subarray(0, quote === -1 ? bytes.length : quote).indexOf(BACKSLASH, at);
      if (backslash === -1) return quote;
      at = backslash + 2;
      if (at > bytes.length) {
        this.escaped = true;
        return -1;
      }
      if (quote !== -1 && quote < at) quote = bytes.indexOf(QUOTE, at); // It was escaped.
    }
  }

  private async passQuote(): Promise<void> {
    this.letHeldGo();
    if (this.data !== undefined) {
      const upload = await this.data.end(this.mime);
      this.data = undefined;
      this.options.onUpload(upload);
      this.push(upload.name);
    }
    this.push('"');
    this.inString = !this.inString;
    if (this.inString) this.held = [];
  }

  private async readString(part: Buffer): Promise<void> {
    if (this.data !== undefined) {
      await this.data.write(part);
      return;
    }
    if (this.held === undefined) {
      this.push(part);
      return;
    }
    this.held.push(part);
    this.heldBytes += part.length;
    if (this.heldBytes <= KEPT_BYTES_MAX) {
      return;
    }
    const text = Buffer.concat(this.held);
    const head = HEAD.exec(text.toString('latin1', 0, HEAD_BYTES_MAX));
    if (head === null) {
      this.letHeldGo();
      return;
    }
    this.held = undefined;
    this.heldBytes = 0;
    this.mime = `${head[1]}/${head[2]}`.toLowerCase();
    this.data = new DataFile(this.options.spool, this.options.dataBytesMax);
    await this.data.write(text.subarray(head[0].length));
  }

  private letHeldGo(): void {
    for (const part of this.held ?? []) this.push(part);
    this.held = undefined;
    this.heldBytes = 0;
  }

  private async takePlace(): Promise<void> {
    if (this.givePlaceBack !== undefined) return;
    const { places } = this.options;
    this.givePlaceBack = await places.take();
    if (this.destroyed) this.leave();
    else
      this.timer = setTimeout(
        () => this.destroy(new UploadTooSlow(places.holdMsMax / 1_000)),
        places.holdMsMax,
      );
  }

  private leave(): void {
    clearTimeout(this.timer);
    this.givePlaceBack?.();
  }
}
