import { Entity } from 'typeorm';

import { BytesColumn, TextColumn, TimeColumn } from '../../platform/database/columns';

/** A call that prepares and has no charge yet, or a retry of a call that doesn't prepare. */
@Entity('call_underway')
export class CallUnderway {
  @TextColumn({ primary: true }) readonly id: string;
  /** The payer, with the key where the money was handed on. */
  @TextColumn() readonly caller: string;
  @BytesColumn() readonly fingerprint: Buffer;
  /** After this time the call counts as dead, and its repetition may run. Of a retry, when it arrived. */
  @TimeColumn() readonly until: Date;
}
