import { Entity } from 'typeorm';

import { IntegerColumn, TextColumn, TimeColumn } from '../platform/database/columns';

/** How many streams and waits of one owner, or of one address, a process says that it holds open. */
@Entity('open_stream')
export class OpenStream {
  @TextColumn({ primary: true }) readonly whose: string;
  @TextColumn({ primary: true }) readonly process: string;
  @IntegerColumn() readonly open: number;
  /** What a process does not say again by then holds no place any more: it is dead. */
  @TimeColumn() readonly until: Date;
}
