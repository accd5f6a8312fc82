import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '#platform/database/columns';
import type { Role } from './roles';

/** A person in an organisation. Each person is an owner of their own account, which is an organisation as well. */
@Entity('member')
export class Member {
  @TextColumn({ primary: true }) readonly organisationId: string;
  @TextColumn({ primary: true }) readonly accountId: string;
  @TextColumn() readonly role: Role;
  @TimeColumn({ default: () => 'now()' }) readonly joinedAt: Date;
}
