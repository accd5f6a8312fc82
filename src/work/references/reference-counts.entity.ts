import { Entity } from 'typeorm';

import { IntegerColumn, TextColumn } from '#platform/database/columns';

/** The number of an owner's assets. The database itself counts them, and refuses more than the limit. */
@Entity('reference_library')
export class LibraryCount {
  @TextColumn({ primary: true }) readonly owner: string;
  @IntegerColumn() readonly assets: number;
}

/** The number of free references, of an owner (`owner:…`) or from an address (`caller:…`). */
@Entity('reference_free')
export class FreeCount {
  @TextColumn({ primary: true }) readonly holder: string;
  @IntegerColumn() readonly assets: number;
}
