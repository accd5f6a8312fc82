import { Entity } from 'typeorm';

import { BooleanColumn, BytesColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** A link that can set a new password once. The table stores only a hash of its token. */
@Entity('password_reset')
export class PasswordReset {
  @BytesColumn({ primary: true }) readonly tokenHash: Buffer;
  @TextColumn() readonly accountId: string;
  /** Only an operator can make such a link, for a person who has lost the authenticator app and the recovery codes. */
  @BooleanColumn({ default: false }) readonly removesSecondFactor: boolean;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn() readonly expiresAt: Date;
}
