import { Entity } from 'typeorm';

import {
  BytesColumn,
  CountColumn,
  ListColumn,
  TextColumn,
  TimeColumn,
} from '../../platform/database/columns';

/** A passkey of a person. The device has its private key. */
@Entity('passkey')
export class Passkey {
  /** The id of the credential, as the browser names it. */
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly accountId: string;
  @TextColumn() readonly name: string;
  @BytesColumn() readonly publicKey: Buffer;
  @CountColumn() readonly counter: number;
  @ListColumn({ default: () => `'{}'` }) readonly transports: string[];
  /** The issue time of the last accepted challenge: an answer to it or to an earlier one is refused. */
  @TimeColumn({ nullable: true }) readonly challengeAt?: Date;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn({ nullable: true }) readonly usedAt?: Date;
}
