import { Entity } from 'typeorm';

import {
  BigintColumn,
  BytesColumn,
  IntegerColumn,
  TextColumn,
  TimeColumn,
} from '../../platform/database/columns';

/** The authenticator app of a person. It counts only after the person has shown a code of it. */
@Entity('second_factor')
export class SecondFactor {
  @TextColumn({ primary: true }) readonly accountId: string;
  /** The shared secret, encrypted. */
  @BytesColumn() readonly sealed: Buffer;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly confirmedAt?: Date;
  /** The time step of the last accepted code: each code is valid once. */
  @BigintColumn({ nullable: true }) readonly lastStep?: bigint;
  /** Wrong codes of the app within a day. They are stored, so that a restart or another process gives no further guesses. */
  @IntegerColumn({ default: () => '0' }) readonly guesses: number;
  @TimeColumn({ default: () => 'now()' }) readonly guessesSince: Date;
}
