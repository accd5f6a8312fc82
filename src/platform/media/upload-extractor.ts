import { Transform, type TransformCallback } from 'node:stream';

import { JsonStrings } from '../http/body/json-strings';
import type { Spool } from '../storage/spool';
import { DataFile, type Upload } from './data-file';
import type { SlotRequest, UploadSlots } from './upload-slots';

/** Strings up to this length stay in the body. A few of them fit into the limit for unproven callers. */
export const KEPT_BYTES_MAX = 8 * 1024;
/** A longer body needs a slot. */
const SMALL_BYTES_MAX = 1024 * 1024;
/** JSON may write a slash as `\/`. */
const HEAD = /^data:([\w.+-]{1,60})\\?\/([\w.+-]{1,60});base64,/i;
const HEAD_BYTES_MAX = 200;

const QUOTE_BYTES = Buffer.from('"');

/** The rights of a sender to store media, and its slots. */
export interface Welcome {
  /** The largest medium that is kept; 0 for none. */
  readonly keptBytesMax: number;
  readonly slots: UploadSlots;
  readonly owner: string;
}

export interface ExtractorOptions {
  readonly spool: Spool;
  /** The extractor calls this when the first large medium arrives. */
  readonly welcome: () => Promise<Welcome>;
  readonly speed: SlotRequest['speed'];
  /** The largest medium of any caller. */
  readonly dataBytesMax: number;
  readonly bodyBytesMax: number;
  /** Makes the error for a larger body. */
  readonly overflow: () => Error;
  readonly onUpload: (upload: Upload) => void;
}

/**
 * Moves large data URIs of a JSON body to the disk while it arrives, and leaves a short name in their place. The body
 * that is parsed, hashed and kept stays small.
 */
export class UploadExtractor extends Transform {
  /** Fastify compares this with the announced length. */
  receivedEncodedLength = 0;
  private readonly strings = new JsonStrings();
  /** The beginning of a string that may be a large data URI. */
  private held: Buffer[] | undefined;
  private heldBytes = 0;
  private readonly out: Buffer[] = [];
  private mime = '';
  private data: DataFile | undefined;
  private welcome: Welcome | undefined;
  private freeSlot: (() => void) | undefined;

  constructor(private readonly options: ExtractorOptions) {
    super();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.receivedEncodedLength += chunk.length;
    // eslint-disable-next-line promise/no-callback-in-promise
    this.consume(chunk).then(() => done(), done);
  }

  override _flush(done: TransformCallback): void {
    this.letHeldGo(); // A body that ends inside a string is invalid JSON, and the JSON parser reports that.
    this.pushOut();
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
    await this.takeSlotForLarge();
    let rest = chunk;
    while (rest.length > 0 && !this.destroyed) {
      const { isInside } = this.strings;
      const end = this.strings.edge(rest);
      const part = end === -1 ? rest : rest.subarray(0, end);
      rest = rest.subarray(part.length + 1);
      // This code awaits only if necessary, because a body of many tiny strings would otherwise make too many promises.
      const read = isInside ? this.readString(part) : this.letGo(part);
      if (read !== undefined) await read;
      const passed = end === -1 ? undefined : this.passQuote();
      if (passed !== undefined) await passed;
    }
    if (!this.destroyed) this.pushOut();
  }

  private passQuote(): Promise<void> | undefined {
    this.letHeldGo();
    const { data } = this;
    if (data === undefined) {
      this.turn();
      return undefined;
    }
    return data.end(this.mime).then((upload) => {
      this.data = undefined;
      this.options.onUpload(upload);
      this.letGo(Buffer.from(upload.name));
      this.turn();
    });
  }

  /** Must be called at the beginning and at the end of each string. */
  private turn(): void {
    this.letGo(QUOTE_BYTES);
    if (this.strings.isInside) this.held = [];
  }

  private readString(part: Buffer): Promise<void> | undefined {
    if (this.data !== undefined) return this.data.write(part);
    if (this.held === undefined) return this.letGo(part);
    this.held.push(part);
    this.heldBytes += part.length;
    if (this.heldBytes <= KEPT_BYTES_MAX) return undefined;
    const text = Buffer.concat(this.held);
    const head = HEAD.exec(text.toString('latin1', 0, HEAD_BYTES_MAX));
    if (head === null) {
      this.letHeldGo();
      return undefined;
    }
    this.held = undefined;
    this.heldBytes = 0;
    this.mime = `${head[1]}/${head[2]}`.toLowerCase();
    return this.takeOut(text.subarray(head[0].length));
  }

  /** Begins to write a large data URI to the disk. */
  private async takeOut(first: Buffer): Promise<void> {
    this.welcome ??= await this.options.welcome();
    await this.takeSlotForLarge();
    this.data = new DataFile(this.options.spool, this.options.dataBytesMax, this.welcome.keptBytesMax);
    await this.data.write(first);
  }

  /** Leaves this part in the body. */
  private letGo(part: Buffer): undefined {
    if (part.length > 0) this.out.push(part);
    return undefined;
  }

  private pushOut(): void {
    if (this.out.length > 0) this.push(Buffer.concat(this.out.splice(0)));
  }

  private letHeldGo(): void {
    for (const part of this.held ?? []) this.letGo(part);
    this.held = undefined;
    this.heldBytes = 0;
  }

  /** Takes a slot for a large body if its media are stored. Media that are dropped need no slot. */
  private async takeSlotForLarge(): Promise<void> {
    const { welcome, receivedEncodedLength } = this;
    const isLarge =
      receivedEncodedLength > SMALL_BYTES_MAX && welcome !== undefined && welcome.keptBytesMax > 0;
    if (!isLarge || this.freeSlot !== undefined) return;
    const { slots, owner } = welcome;
    const cut = (error: Error): void => {
      this.destroy(error);
    };
    this.freeSlot = await slots.take({ owner, speed: this.options.speed, cut });
    if (this.destroyed) this.leave();
  }

  private leave(): void {
    this.freeSlot?.();
  }
}
