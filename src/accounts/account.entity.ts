import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '../platform/database/columns';

/** The owner of credits and keys: a person with a sign-in, or an organisation of several people. */
@Entity('account')
export class Account {
  @TextColumn({ primary: true }) readonly id: string;
  /** Only a person has it. */
  @TextColumn({ nullable: true }) readonly email?: string;
  /** Only an organisation of several people has it. */
  @TextColumn({ nullable: true }) readonly name?: string;
  /** Code reads it only to check a password. */
  @TextColumn({ select: false, nullable: true }) readonly passwordHash?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** The time at which an operator or the owner closed the account. Its keys and sessions end then. */
  @TimeColumn({ nullable: true }) readonly bannedAt?: Date;
  /** Set only if the owner closed it. */
  @TimeColumn({ nullable: true }) readonly closedAt?: Date;
}

/** An account that somebody signs in to. */
export type Person = Account & { readonly email: string };
