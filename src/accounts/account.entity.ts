import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '../platform/database/columns';

/** A person or company with a sign-in, credits and keys. */
@Entity('account')
export class Account {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly email: string;
  /** Read only to check a password. */
  @TextColumn({ select: false }) readonly passwordHash?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly bannedAt?: Date;
}
