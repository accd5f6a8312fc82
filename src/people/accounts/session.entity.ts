import { Entity } from 'typeorm';

import { BytesColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** A session. Only the browser has the token itself. */
@Entity('session')
export class Session {
  @BytesColumn({ primary: true }) readonly tokenHash: Buffer;
  @TextColumn() readonly accountId: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  /** The name that the browser sends; absent for sessions that are older than this column. */
  @TextColumn({ nullable: true }) readonly device?: string;
  @TimeColumn() readonly expiresAt: Date;
}
