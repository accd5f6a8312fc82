import { Entity } from 'typeorm';

import { BytesColumn, CountColumn, IntegerColumn, SmallintColumn } from '#platform/database/columns';

/** Up to 256 hashes of a level of the tree. Hashes are only appended, so a shorter tile is the beginning of a longer one. */
@Entity('transparency_tile')
export class TransparencyTile {
  @IntegerColumn({ primary: true }) readonly logId: number;
  @SmallintColumn({ primary: true }) readonly level: number;
  @CountColumn({ primary: true }) readonly tile: number;
  @BytesColumn() readonly hashes: Buffer;
}
