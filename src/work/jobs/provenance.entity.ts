import { Entity } from 'typeorm';

import { BigintColumn, BytesColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The facts that anybody with the file may ask for. */
@Entity('provenance')
export class Provenance {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly modelId: string;
  @BytesColumn() readonly sha256: Buffer;
  @TimeColumn() readonly createdAt: Date;
  /** 64 bits of its looks; absent for films and plain pictures. */
  @BigintColumn({ nullable: true }) readonly perceptualHash?: bigint;
}
