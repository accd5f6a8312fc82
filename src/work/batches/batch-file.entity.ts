import { Entity } from 'typeorm';

import { BytesColumn, CountColumn, IntegerColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** `batch` files are uploaded. The others contain the answers of a batch, which its lines store. */
export const FILE_PURPOSES = ['batch', 'batch_output', 'batch_error'] as const;
export type FilePurpose = (typeof FILE_PURPOSES)[number];

/** A file of JSON lines that belongs to an owner, for 30 days. */
@Entity('batch_file')
export class BatchFile {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly owner: string;
  /** The delegated key that uploaded it: that key sees no other file. */
  @TextColumn({ nullable: true }) readonly keyId?: string;
  /** The person who uploaded it, with a session or with a key. */
  @TextColumn({ nullable: true }) readonly memberId?: string;
  @TextColumn() readonly purpose: FilePurpose;
  @TextColumn() readonly filename: string;
  @CountColumn({ default: 0 }) readonly bytes: number;
  @IntegerColumn({ default: 0 }) readonly lines: number;
  /** The batch whose answers it contains. */
  @TextColumn({ nullable: true }) readonly batchId?: string;
  /** The idempotency key of the upload, and the hash of its content. */
  @TextColumn({ nullable: true }) readonly mark?: string;
  @BytesColumn({ nullable: true }) readonly contentHash?: Buffer;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** Absent during the upload. */
  @TimeColumn({ nullable: true }) readonly readyAt?: Date;
  @TimeColumn() readonly expiresAt: Date;
}
