import { Entity } from 'typeorm';

import { BytesColumn, TextColumn, TimeColumn } from '../platform/database/columns';

/** What anybody who holds a file may ask about it. */
@Entity('provenance')
export class Provenance {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly modelId: string;
  @BytesColumn() readonly sha256: Buffer;
  @TimeColumn() readonly createdAt: Date;
}
