import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';

import type { Spool, SpooledFile } from '../storage/spool';

const BACKSLASH = 0x5c;
const SLASH = 0x2f;

/** A data URI that was taken out of a body. */
export interface Upload {
  /** What stands in the body instead. It holds the hash, so that equal bodies stay equal. */
  readonly name: string;
  /** Why there is no file. */
  readonly fault?: 'broken' | 'too-large';
  readonly file?: SpooledFile;
  readonly sha256: string;
}

/** Base64 on its way into a file. What can't be decoded, or is too large, is read to its end but not kept. */
export class DataFile {
  private readonly hash = createHash('sha256');
  private readonly pipe = new PassThrough();
  private readonly stored: Promise<SpooledFile>;
  private fault: Upload['fault'];
  private rest = '';
  private padded = false;
  private escaped = false;
  private bytes = 0;

  constructor(
    spool: Spool,
    private readonly bytesMax: number,
  ) {
    this.stored = spool.take(this.pipe);
    // Whoever writes or ends it hears of a failure; between two of them nobody listens.
    this.stored.catch(() => undefined);
    this.pipe.on('error', () => undefined);
  }

  async write(part: Buffer): Promise<void> {
    if (this.fault !== undefined) {
      this.hash.update(part); // Broken or not, another body is another call.
      return;
    }
    const text = this.rest + this.unescaped(part).toString('latin1');
    const whole = text.length - (text.length % 4);
    this.rest = text.slice(whole);
    await this.keep(text.slice(0, whole));
  }

  async end(mime: string): Promise<Upload> {
    await this.keep(this.rest);
    const sha256 = this.hash.digest('hex');
    const name = `data:${mime};sha256=${sha256}${this.fault === undefined ? '' : `;${this.fault}`}`;
    if (this.fault !== undefined) {
      return { name, fault: this.fault, sha256 };
    }
    this.pipe.end();
    return { name, file: await this.stored, sha256 };
  }

  /** Nobody wants it any more. */
  drop(): void {
    this.pipe.destroy(new Error('dropped'));
    this.stored.then(
      ({ path }) => rm(path, { force: true }),
      () => undefined,
    );
  }

  private async keep(text: string): Promise<void> {
    if (text === '' || this.fault !== undefined) {
      return;
    }
    const bytes = Buffer.from(text, 'base64');
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    // The decoder passes over what isn't base64, so only the length tells.
    if (
      this.padded ||
      bytes.length !== Math.floor(((text.length - padding) * 3) / 4) ||
      text.length % 4 === 1
    ) {
      this.giveUp('broken', bytes);
      return;
    }
    this.padded = padding > 0;
    this.bytes += bytes.length;
    if (this.bytes > this.bytesMax) {
      this.giveUp('too-large', bytes);
      return;
    }
    this.hash.update(bytes);
    if (!this.pipe.write(bytes)) await Promise.race([once(this.pipe, 'drain'), this.stored]);
  }

  private giveUp(fault: NonNullable<Upload['fault']>, bytes: Buffer): void {
    this.fault = fault;
    this.hash.update(bytes);
    this.drop();
  }

  /** JSON may write a slash as `\/`, and some writers always do; no other escape belongs into base64. */
  private unescaped(part: Buffer): Buffer {
    if (!this.escaped && !part.includes(BACKSLASH)) {
      return part;
    }
    const plain: number[] = [];
    for (const byte of part) {
      if (this.escaped && byte !== SLASH) plain.push(BACKSLASH); // Is no base64, and will be found out.
      this.escaped = !this.escaped && byte === BACKSLASH;
      if (!this.escaped) plain.push(byte);
    }
    return Buffer.from(plain);
  }
}
