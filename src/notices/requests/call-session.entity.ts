import { Entity } from 'typeorm';

import { TextColumn, TimeColumn } from '#platform/database/columns';

/** The session of a charged call. It is written after the answer, so a call costs no more. */
@Entity('call_session')
export class CallSession {
  @TextColumn({ primary: true }) readonly chargeId: string;
  @TextColumn() readonly owner: string;
  /** A hash, because a program's name for a session may identify a person. */
  @TextColumn() readonly session: string;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
}
