import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { BlobContent } from './blob-store';
import { BlobStoreUnavailable } from './blob-store.errors';

/** A file this old belongs to a process that died: no upload lasts an hour. */
const STALE_MS = 3_600_000;

export interface SpooledFile {
  readonly path: string;
  readonly bytes: number;
}

/** A folder of unfinished files: whole content on the disk first, so that nobody ever sees half of it. */
export class Spool {
  private prepared?: Promise<void>;

  /** Files that no power cut needs to spare, because their request dies with it, are not `durable`. */
  constructor(
    private readonly folder: string,
    private readonly durable = true,
  ) {}

  /** The caller moves or removes the file. */
  async take(content: BlobContent): Promise<SpooledFile> {
    await this.prepare();
    const path = join(this.folder, randomBytes(16).toString('hex'));
    let bytes = 0;
    let contentError: { readonly error: unknown } | undefined;
    const chunks = async function* (): AsyncGenerator {
      try {
        yield* content instanceof Uint8Array ? [content] : (content as AsyncIterable<unknown>);
      } catch (error) {
        contentError = { error };
        throw error;
      }
    };
    const count = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        bytes += chunk.length;
        done(null, chunk);
      },
    });
    try {
      // `flush` is an fsync: a rename that survives a power cut must not lead to an empty file.
      const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: this.durable });
      await pipeline(chunks, count, file);
    } catch (error) {
      (content as Partial<Readable>).destroy?.();
      await rm(path, { force: true });
      throw contentError === undefined ? new BlobStoreUnavailable(error) : contentError.error;
    }
    return { path, bytes };
  }

  /** Makes the folder and empties it of what dead processes left. Living neighbours' files are young. */
  prepare(): Promise<void> {
    this.prepared ??= this.sweep().catch((error: unknown) => {
      this.prepared = undefined;
      throw new BlobStoreUnavailable(error);
    });
    return this.prepared;
  }

  private async sweep(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.folder)) {
      const path = join(this.folder, name);
      const known = await stat(path).catch(() => undefined);
      if (known !== undefined && Date.now() - known.mtimeMs > STALE_MS) {
        await rm(path, { force: true });
      }
    }
  }
}
