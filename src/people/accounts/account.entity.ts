import { Entity } from 'typeorm';

import { BooleanColumn, TextColumn, TimeColumn } from '#platform/database/columns';

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
  /** The address of a person with mail waits for its proof. Keys, invites, second factors, closing and top-ups wait, too. */
  @BooleanColumn({ default: false }) readonly proofDue: boolean;
  /** The first time at which the person proved to read the mail of the address. */
  @TimeColumn({ nullable: true }) readonly provenAt?: Date;
  /** Set only if the owner closed it. */
  @TimeColumn({ nullable: true }) readonly closedAt?: Date;
}

/** An account that somebody signs in to. */
export type Person = Account & { readonly email: string };
