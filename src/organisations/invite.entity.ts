import { Entity } from 'typeorm';

import type { Role } from '../accounts/roles';
import { BooleanColumn, BytesColumn, TextColumn, TimeColumn } from '../platform/database/columns';

/** A way into an organisation, for one person and a week. Only the link has the token itself. */
@Entity('invite')
export class Invite {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly organisationId: string;
  @BytesColumn({ select: false }) readonly tokenHash: Buffer;
  @TextColumn() readonly role: Role;
  /** Whom it fits; absent is whoever has it. */
  @TextColumn({ nullable: true }) readonly email?: string;
  /** Whether its link went to that address by mail and to nobody else. */
  @BooleanColumn({ default: false }) readonly emailProven: boolean;
  /** It is good for no longer than they may invite to this role. */
  @TextColumn() readonly invitedBy: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn() readonly expiresAt: Date;
  @TextColumn({ nullable: true }) readonly acceptedBy?: string;
  @TimeColumn({ nullable: true }) readonly acceptedAt?: Date;
  @TimeColumn({ nullable: true }) readonly revokedAt?: Date;
  /** When its maker lost the right to invite to this role. */
  @TimeColumn({ nullable: true }) readonly endedAt?: Date;
}
