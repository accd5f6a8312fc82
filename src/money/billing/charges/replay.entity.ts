import { Entity } from 'typeorm';

import { BytesColumn, SmallintColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The stored answer of a call, returned to the same call. */
@Entity('replay')
export class Replay {
  @TextColumn({ primary: true }) readonly chargeId: string;
  @SmallintColumn() readonly status: number;
  /** `AnswerVault` encrypts the answer, under a key of the caller and the call. */
  @BytesColumn() readonly answer: Buffer;
  @TimeColumn() readonly expiresAt: Date;
  @TimeColumn({ nullable: true }) readonly deliveredAt?: Date;
}
