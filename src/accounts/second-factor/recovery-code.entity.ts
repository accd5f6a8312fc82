import { Entity } from 'typeorm';

import { BytesColumn, TextColumn, TimeColumn } from '../../platform/database/columns';

/** A code that replaces one code of the authenticator app, once. Only the person has the code itself. */
@Entity('recovery_code')
export class RecoveryCode {
  @BytesColumn({ primary: true }) readonly codeHash: Buffer;
  @TextColumn() readonly accountId: string;
  @TimeColumn({ nullable: true }) readonly usedAt?: Date;
}
