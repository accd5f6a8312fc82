import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { withErrorListener } from '#kernel/with-error-listener';
import type { BlobContent } from './blob-store';
import { BlobStoreUnavailable, guarded } from './blob-store.errors';

/** A file of this age belongs to a dead process, because no upload takes an hour. */
const STALE_MS = 3_600_000;

export interface SpooledFile {
  readonly path: string;
  readonly bytes: number;
}

export interface HashedFile extends SpooledFile {
  readonly sha256: string;
}

/**
 * A folder of unfinished files. The service first writes the whole content here, so no reader sees an incomplete file.
 */
export class Spool {
  private prepared?: Promise<void>;

  /** Set `durable` to false for files that a power cut may destroy, because their requests end with it. */
  constructor(
    private readonly folder: string,
    private readonly durable = true,
  ) {}

  /**
   * Writes the content to a file, which the caller must move or remove. It throws an error of the content unchanged.
   */
  async take(content: BlobContent): Promise<SpooledFile> {
    const chunks: AsyncIterable<Uint8Array> | Uint8Array[] =
      content instanceof Uint8Array ? [content] : withErrorListener(content);
    const path = join(this.folder, randomBytes(16).toString('hex'));
    try {
      await this.prepare();
      const file = await guarded(() => open(path, 'wx', 0o600));
      try {
        let bytes = 0;
        for await (const chunk of chunks) {
          await guarded(() => file.appendFile(chunk));
          bytes += chunk.length;
        }
        // Without `sync`, a power cut could leave an empty file under the final name.
        if (this.durable) await guarded(() => file.sync());
        return { path, bytes };
      } finally {
        await guarded(() => file.close());
      }
    } catch (error) {
      (content as Partial<Readable>).destroy?.();
      // On a broken disk the removal fails as well, and the first error matters more.
      await rm(path, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** Like `take`; it also hashes the content on its way. */
  async takeHashed(content: Readable): Promise<HashedFile> {
    const hash = createHash('sha256');
    const chunks = withErrorListener(content) as AsyncIterable<Buffer>;
    const hashed = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    };
    try {
      const file = await this.take(Readable.from(hashed()));
      return { ...file, sha256: hash.digest('hex') };
    } catch (error) {
      content.destroy();
      throw error;
    }
  }

  /** Creates the folder and removes files of dead processes. Files of running processes are younger. */
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
      if (known !== undefined && Date.now() - known.mtimeMs > STALE_MS) await rm(path, { force: true });
    }
  }
}
