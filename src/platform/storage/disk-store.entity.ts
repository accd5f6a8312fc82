import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '../database/columns';

/** A disk on which processes keep media. Each process reports its disk every minute. */
@Entity('disk_store')
export class DiskStore {
  /** The mark that is stored on the disk itself. */
  @TextColumn({ primary: true }) readonly mark: string;
  @TimeColumn({ default: () => 'now()' }) readonly seenAt: Date;
}
