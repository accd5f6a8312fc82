import { Entity } from 'typeorm';

import { BytesColumn, CountColumn, ListColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** A passkey of a person. Only the device has the private key. */
@Entity('passkey')
export class Passkey {
  /** The id of the credential that the browser uses. */
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly accountId: string;
  @TextColumn() readonly name: string;
  @BytesColumn() readonly publicKey: Buffer;
  @CountColumn() readonly counter: number;
  @ListColumn({ default: () => `'{}'` }) readonly transports: string[];
  /**
   * The issue time of the last accepted challenge. The service refuses an answer to this challenge or to an earlier
   * one.
   */
  @TimeColumn({ nullable: true }) readonly challengeAt?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly usedAt?: Date;
}
