import { Entity } from 'typeorm';

import { BytesColumn, TimeColumn } from '#platform/database/columns';

/** A challenge that a passkey has answered. It is kept for an hour, which is longer than challenges are valid. */
@Entity('answered_challenge')
export class AnsweredChallenge {
  @BytesColumn({ primary: true }) readonly challengeHash: Buffer;
  @TimeColumn() readonly issuedAt: Date;
}
