import { Entity } from 'typeorm';

import { BigintColumn, BytesColumn, IntegerColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The authenticator app of a person. It is required only after the person has sent a code of it. */
@Entity('second_factor')
export class SecondFactor {
  @TextColumn({ primary: true }) readonly accountId: string;
  /** The shared secret, encrypted. */
  @BytesColumn() readonly sealed: Buffer;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly confirmedAt?: Date;
  /**
   * The time step of the last accepted code. Codes of this step or earlier are refused, so each code is valid only
   * once.
   */
  @BigintColumn({ nullable: true }) readonly lastStep?: bigint;
  /**
   * The wrong codes of the app within a day. This number is stored, so a restart or another process allows no further
   * guesses.
   */
  @IntegerColumn({ default: () => '0' }) readonly guesses: number;
  @TimeColumn({ default: () => 'now()' }) readonly guessesSince: Date;
}
