import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '../database/columns';

/** A disk that processes keep media on. Each says every minute which one is its own. */
@Entity('disk_store')
export class DiskStore {
  /** What is written on the disk itself. */
  @TextColumn({ primary: true }) readonly mark: string;
  @TimeColumn({ default: () => 'now()' }) readonly seenAt: Date;
}
