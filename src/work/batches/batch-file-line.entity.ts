import { Entity } from 'typeorm';

import { BytesColumn, IntegerColumn, TextColumn } from '#platform/database/columns';

/** One line of an uploaded file, encrypted. */
@Entity('batch_file_line')
export class BatchFileLine {
  @TextColumn({ primary: true }) readonly fileId: string;
  /** Counted from 1. */
  @IntegerColumn({ primary: true }) readonly line: number;
  @BytesColumn() readonly sealed: Buffer;
}
