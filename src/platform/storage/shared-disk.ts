import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { Inject, Injectable, Logger, type OnModuleInit } from '@nestjs/common';

import { randomBytes } from '#kernel/random';
import { BackgroundWork } from '../background/background-work';
import { codeOf } from '../database/error-fields';
import { DiskStoreRepository } from './disk-store.repository';
import { SETTINGS } from '../config/settings';
import type { StorageSettings } from './storage.settings';
import type { DatabaseSettings } from '../database/database.settings';

const REPORT_EVERY_MS = 60_000;

const PROBLEM =
  'Other processes on this database keep their media on another disk than this one: what one of them stores, the others ' +
  'answer with 404. Let all of them share DATA_DIR/blobs, or set BLOB_STORE=s3.';

/**
 * With media on a disk, a process finds the media of the others only if all share the same disk. Each disk has a mark,
 * and each process reports the mark of its disk to the database.
 */
@Injectable()
export class SharedDisk implements OnModuleInit {
  private readonly logger = new Logger(SharedDisk.name);
  private known?: string;

  constructor(
    private readonly disks: DiskStoreRepository,
    private readonly background: BackgroundWork,
    @Inject(SETTINGS) private readonly settings: StorageSettings & DatabaseSettings,
  ) {}

  async onModuleInit(): Promise<void> {
    if (this.settings.blobs.store !== 'disk') return;
    await this.check();
    this.background.every('Comparing the disks of all processes', REPORT_EVERY_MS, () => this.check());
  }

  /** The problem that the last check found, for operators. */
  get problem(): string | undefined {
    return this.known;
  }

  /** Reports this process's disk, and checks whether all other processes have the same one. */
  async check(): Promise<string | undefined> {
    const before = this.known;
    try {
      this.known = (await this.isShared()) ? undefined : PROBLEM;
    } catch (error) {
      // The health shows a missing disk or database in another part, so this is not a problem of sharing.
      this.logger.debug(error);
    }
    if (this.known !== undefined && before === undefined) this.logger.warn(this.known);
    return this.known;
  }

  private async isShared(): Promise<boolean> {
    const mark = await markOf(join(this.settings.dataDir, 'blobs'));
    return !(await this.disks.isAnotherInUse(mark));
  }
}

const MARK_CHARS = 22;

/** The first process writes the mark once. If the mark is still incomplete, the next check reads it. */
const markOf = async (folder: string): Promise<string> => {
  const file = join(folder, '.mark');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    await writeFile(file, randomBytes(16).toString('base64url'), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
  const mark = await readFile(file, 'utf8');
  if (mark.length !== MARK_CHARS) throw new Error(`${file} is not whole.`);
  return mark;
};
