import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';

import { withErrorListener } from '#kernel/with-error-listener';
import type { Spool, SpooledFile } from '../storage/spool';

const BACKSLASH = 0x5c;
const SLASH = 0x2f;

/** A data URI that was taken out of a body. */
export interface Upload {
  /** The name that replaces it in the body. The name contains the hash, so equal bodies stay equal. */
  readonly name: string;
  /** The fault of the data. It depends only on the data, not on the sender's rights. */
  readonly fault?: 'broken' | 'too-large';
  /** Absent if the sender may not store so much. The data was then only hashed. */
  readonly file?: SpooledFile;
  readonly sha256: string;
}

/**
 * Decodes base64 into a file. If the data is invalid, too large, or more than its sender may store, the code reads it
 * to its end without storing it. The name does not depend on whether the data is stored.
 */
export class DataFile {
  private readonly hash = createHash('sha256');
  private readonly pipe = withErrorListener(new PassThrough());
  private readonly stored: Promise<SpooledFile> | undefined;
  private isKept: boolean;
  private fault: Upload['fault'];
  private unwritten = '';
  private padded = false;
  private escaped = false;
  private bytes = 0;

  constructor(
    spool: Spool,
    private readonly bytesMax: number,
    private readonly keptBytesMax: number,
  ) {
    this.isKept = keptBytesMax > 0;
    this.stored = this.isKept ? spool.take(this.pipe) : undefined;
    // `write` and `end` report a failure. Between these calls, this listener prevents an unhandled rejection.
    this.stored?.catch(() => undefined);
  }

  async write(part: Buffer): Promise<void> {
    if (this.fault !== undefined) {
      // Two different invalid texts must have different hashes, because they are different calls.
      this.hash.update(part);
      return;
    }
    const text = this.unwritten + this.unescaped(part).toString('latin1');
    const whole = text.length - (text.length % 4);
    this.unwritten = text.slice(whole);
    await this.keep(text.slice(0, whole));
  }

  async end(mime: string): Promise<Upload> {
    await this.keep(this.unwritten);
    const sha256 = this.hash.digest('hex');
    const name = `data:${mime};sha256=${sha256}${this.fault === undefined ? '' : `;${this.fault}`}`;
    if (this.fault !== undefined) return { name, fault: this.fault, sha256 };
    if (!this.isKept || this.stored === undefined) return { name, sha256 };
    this.pipe.end();
    return { name, file: await this.stored, sha256 };
  }

  /** Must be called when no code needs the file any more. */
  drop(): void {
    this.isKept = false;
    this.pipe.destroy(new Error('dropped'));
    this.stored?.then(
      ({ path }) => rm(path, { force: true }),
      () => undefined,
    );
  }

  private async keep(text: string): Promise<void> {
    if (text === '' || this.fault !== undefined) return;
    const bytes = Buffer.from(text, 'base64');
    const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
    // The decoder silently skips invalid characters, so only the decoded length shows that there were any.
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
    if (this.bytes > this.keptBytesMax && this.isKept) this.drop();
    if (this.isKept && !this.pipe.write(bytes)) await Promise.race([once(this.pipe, 'drain'), this.stored]);
  }

  private giveUp(fault: NonNullable<Upload['fault']>, bytes: Buffer): void {
    this.fault = fault;
    this.hash.update(bytes);
    this.drop();
  }

  /** JSON may write a slash as `\/`, and some writers always do. No other escape is valid in base64. */
  private unescaped(part: Buffer): Buffer {
    if (!this.escaped && !part.includes(BACKSLASH)) return part;
    const plain = Buffer.alloc(part.length + 1);
    let length = 0;
    for (const byte of part) {
      // This character is invalid in base64, so a later check refuses the data.
      if (this.escaped && byte !== SLASH) length = plain.writeUInt8(BACKSLASH, length);
      this.escaped = !this.escaped && byte === BACKSLASH;
      if (!this.escaped) length = plain.writeUInt8(byte, length);
    }
    return plain.subarray(0, length);
  }
}
