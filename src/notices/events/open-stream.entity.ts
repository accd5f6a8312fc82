import { Entity } from 'typeorm';

import { IntegerColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The number of open streams and long polls of one owner, or of one address, as a process reports it. */
@Entity('open_stream')
export class OpenStream {
  @TextColumn({ primary: true }) readonly whose: string;
  @TextColumn({ primary: true }) readonly process: string;
  @IntegerColumn() readonly open: number;
  /** A report that is not renewed by this time belongs to a dead process. */
  @TimeColumn() readonly until: Date;
}
