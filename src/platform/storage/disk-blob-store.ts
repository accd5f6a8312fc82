import {
  type FileHandle,
  access,
  constants,
  link,
  mkdir,
  open,
  readFile,
  rename,
  rm,
  statfs,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';

import { withErrorListener } from '#kernel/with-error-listener';
import { checkBlobKey } from './blob-key';
import { type BlobContent, type BlobInfo, type BlobRange, BlobStore, type StoredBlob } from './blob-store';
import { BlobRangeOutside, guarded } from './blob-store.errors';
import { Spool, type SpooledFile } from './spool';

/** With less free space than this, the next video may not fit. */
const FREE_BYTES_MIN = 100 * 1024 * 1024;

const isMissing = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');

const syncFolder = async (path: string): Promise<void> => {
  // Windows can't open folders, but there the file system's journal protects renames.
  const handle = await open(path, 'r').catch(() => undefined);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
};

type Placing = (from: string, to: string) => Promise<void>;

/** Moves a file only to a free name: unlike a rename, the creation of a link fails if the name is taken. */
const linkNew = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to);
  } catch (error) {
    // Some shared folders do not support links. There a second writer replaces the file of the first writer.
    const isKnown = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'].includes(
      (error as NodeJS.ErrnoException).code ?? '',
    );
    if (!isKnown) throw error;
    return rename(from, to);
  }
  await rm(from, { force: true });
};

/** Moves a file to a free name, and keeps the present file if the name is taken. */
const linkFirst = async (from: string, to: string): Promise<void> => {
  try {
    await linkNew(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    await rm(from, { force: true });
  }
};

/** Blobs as plain files, for one machine. A small file beside each blob contains its type. */
export class DiskBlobStore extends BlobStore {
  private readonly root: string;
  private readonly spool: Spool;

  constructor(root: string) {
    super();
    this.root = resolve(root);
    this.spool = new Spool(join(this.root, '.unfinished'));
  }

  put(key: string, content: BlobContent, { mime }: { readonly mime: string }): Promise<BlobInfo> {
    return this.write(key, content, mime, { place: rename, placeType: rename });
  }

  async putNew(
    key: string,
    content: BlobContent,
    { mime }: { readonly mime: string },
  ): Promise<BlobInfo | undefined> {
    try {
      // An existing blob keeps its type as well.
      return await this.write(key, content, mime, { place: linkNew, placeType: linkFirst });
    } catch (error) {
      const { cause = error } = error as Error;
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
      throw error;
    }
  }

  /** `place` and `placeType` move the finished files to their names. */
  private async write(
    key: string,
    content: BlobContent,
    mime: string,
    { place, placeType }: Readonly<Record<'place' | 'placeType', Placing>>,
  ): Promise<BlobInfo> {
    const { file, type } = this.pathsOf(key);
    const taken: SpooledFile[] = [];
    try {
      const blob = await this.spool.take(content);
      taken.push(blob);
      const note = await this.spool.take(Buffer.from(mime));
      taken.push(note);
      await guarded(async () => {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        // The type is written first, so that an existing blob always has a type.
        await placeType(note.path, type);
        await place(blob.path, file);
        await syncFolder(dirname(file));
      });
      return { bytes: blob.bytes, mime };
    } catch (error) {
      await Promise.all(taken.map(({ path }) => rm(path, { force: true })));
      throw error;
    }
  }

  async get(key: string, range?: BlobRange): Promise<StoredBlob | undefined> {
    const opened = await this.open(key);
    if (opened === undefined) return undefined;
    const { handle, bytes, mime } = opened;
    const start = range?.start ?? 0;
    const end = Math.min(range?.end ?? Number.MAX_SAFE_INTEGER, bytes - 1);
    if (start > end) {
      await handle.close();
      if (range !== undefined) throw new BlobRangeOutside(bytes);
      return { stream: Readable.from([]), bytes, mime, range: { start: 0, end: -1 } };
    }
    return {
      stream: withErrorListener(handle.createReadStream({ start, end })),
      bytes,
      mime,
      range: { start, end },
    };
  }

  async head(key: string): Promise<BlobInfo | undefined> {
    const opened = await this.open(key);
    await opened?.handle.close();
    return opened && { bytes: opened.bytes, mime: opened.mime };
  }

  async delete(key: string): Promise<void> {
    const { file, type } = this.pathsOf(key);
    await guarded(async () => {
      await rm(file, { force: true });
      await rm(type, { force: true });
    });
  }

  async healthy(): Promise<boolean> {
    try {
      await this.spool.prepare();
      await access(this.root, constants.R_OK | constants.W_OK);
      const { bavail, bsize } = await statfs(this.root);
      return bavail * bsize >= FREE_BYTES_MIN;
    } catch {
      return false;
    }
  }

  private pathsOf(key: string): { readonly file: string; readonly type: string } {
    const path = join(this.root, checkBlobKey(key));
    return { file: `${path}.blob`, type: `${path}.mime` };
  }

  private open(key: string): Promise<{ handle: FileHandle; bytes: number; mime: string } | undefined> {
    const { file, type } = this.pathsOf(key);
    return guarded(async () => {
      let handle: FileHandle | undefined;
      try {
        handle = await open(file, 'r');
        const { size } = await handle.stat();
        return { handle, bytes: size, mime: await readFile(type, 'utf8') };
      } catch (error) {
        await handle?.close();
        if (isMissing(error)) return undefined;
        throw error;
      }
    });
  }
}
