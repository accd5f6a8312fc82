import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '../platform/database/columns';

/** The owner of credits and keys: a person with a sign-in, or an organisation of several people. */
@Entity('account')
export class Account {
  @TextColumn({ primary: true }) readonly id: string;
  /** Of a person. */
  @TextColumn({ nullable: true }) readonly email?: string;
  /** Of an organisation that is not a person's own. */
  @TextColumn({ nullable: true }) readonly name?: string;
  /** Read only to check a password. */
  @TextColumn({ select: false, nullable: true }) readonly passwordHash?: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** Closed, by an operator or by its owner: keys and sessions end. */
  @TimeColumn({ nullable: true }) readonly bannedAt?: Date;
  /** Set if its owner closed it. */
  @TimeColumn({ nullable: true }) readonly closedAt?: Date;
}

/** An account that somebody signs in to. */
export type Person = Account & { readonly email: string };
