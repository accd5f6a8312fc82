import { Entity } from 'typeorm';

import type { Role } from '#people/accounts/roles';
import { BooleanColumn, BytesColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** A link into an organisation, for one person and one week. The table stores only a hash of its token. */
@Entity('invite')
export class Invite {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly organisationId: string;
  @BytesColumn({ select: false }) readonly tokenHash: Buffer;
  @TextColumn() readonly role: Role;
  /** The only address that may use the invite. If absent, any address may. */
  @TextColumn({ nullable: true }) readonly email?: string;
  /** Whether the service mailed the link only to that address, so that its use proves the address. */
  @BooleanColumn({ default: false }) readonly emailProven: boolean;
  /** The member who made the invite. It is valid only while this member may invite to the role. */
  @TextColumn() readonly invitedBy: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn() readonly expiresAt: Date;
  @TextColumn({ nullable: true }) readonly acceptedBy?: string;
  @TimeColumn({ nullable: true }) readonly acceptedAt?: Date;
  @TimeColumn({ nullable: true }) readonly revokedAt?: Date;
  /** The time at which its maker lost the right to invite to the role. */
  @TimeColumn({ nullable: true }) readonly endedAt?: Date;
}
