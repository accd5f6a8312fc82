import { Entity } from 'typeorm';

import type { Role } from '../accounts/roles';
import { BooleanColumn, BytesColumn, TextColumn, TimeColumn } from '../platform/database/columns';

/** A link into an organisation, for one person and one week. The table stores only a hash of its token. */
@Entity('invite')
export class Invite {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly organisationId: string;
  @BytesColumn({ select: false }) readonly tokenHash: Buffer;
  @TextColumn() readonly role: Role;
  /** The only address that may use it; absent for any. */
  @TextColumn({ nullable: true }) readonly email?: string;
  /** Whether its link was mailed to that address only. */
  @BooleanColumn({ default: false }) readonly emailProven: boolean;
  /** The member who made it. The invite is valid only while they may invite to this role. */
  @TextColumn() readonly invitedBy: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn() readonly expiresAt: Date;
  @TextColumn({ nullable: true }) readonly acceptedBy?: string;
  @TimeColumn({ nullable: true }) readonly acceptedAt?: Date;
  @TimeColumn({ nullable: true }) readonly revokedAt?: Date;
  /** The time at which its maker lost the right to invite to this role. */
  @TimeColumn({ nullable: true }) readonly endedAt?: Date;
}
