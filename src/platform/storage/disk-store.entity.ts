import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '../database/columns';

/** A disk that processes keep media on. Each process reports its own every minute. */
@Entity('disk_store')
export class DiskStore {
  /** The mark on the disk itself. */
  @TextColumn({ primary: true }) readonly mark: string;
  @TimeColumn({ default: () => 'now()' }) readonly seenAt: Date;
}
