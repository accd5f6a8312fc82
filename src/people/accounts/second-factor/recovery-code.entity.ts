import { Entity } from 'typeorm';

import { BytesColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** A code that replaces one code of the authenticator app, once. The table stores only its hash. */
@Entity('recovery_code')
export class RecoveryCode {
  @BytesColumn({ primary: true }) readonly codeHash: Buffer;
  @TextColumn() readonly accountId: string;
  @TimeColumn({ nullable: true }) readonly usedAt?: Date;
}
