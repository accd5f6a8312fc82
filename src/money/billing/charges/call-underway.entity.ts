import { Entity } from 'typeorm';

import { BytesColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** A call that prepares and has no charge yet, or a retry of a call that does not prepare. */
@Entity('call_underway')
export class CallUnderway {
  @TextColumn({ primary: true }) readonly id: string;
  /** The payer, followed by the key if the key is delegated. */
  @TextColumn() readonly caller: string;
  @BytesColumn() readonly fingerprint: Buffer;
  /**
   * After this time the call counts as dead, and its repetition may run. For a retry without preparation, `until` is
   * the time of its arrival.
   */
  @TimeColumn() readonly until: Date;
}
