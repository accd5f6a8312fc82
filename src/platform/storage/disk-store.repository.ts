import { Injectable } from '@nestjs/common';

import { Database } from '../database/database';

/** The check ignores processes that have not reported their disk for this time. */
const SILENT_MINUTES_MAX = 5;

/** The marks of the disks on which processes of this database keep their media. */
@Injectable()
export class DiskStoreRepository {
  constructor(private readonly db: Database) {}

  /** Reports the disk of this process. True if another process has reported another disk lately. */
  async isAnotherInUse(mark: string): Promise<boolean> {
    const other = await this.db.one(
      `with reported as (
         insert into disk_store (mark) values ($1) on conflict (mark) do update set seen_at = now()
       ), forgotten as (
         delete from disk_store where seen_at < now() - interval '1 day' and mark <> $1
       )
       select mark from disk_store
       where mark <> $1 and seen_at > now() - make_interval(mins => ${SILENT_MINUTES_MAX}) limit 1`,
      [mark],
      'disk-store-say',
    );
    return other !== undefined;
  }
}
