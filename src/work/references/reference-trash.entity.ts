import { Entity } from 'typeorm';

import { BooleanColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** The name of a blob that is deleted if no row claims it in time. */
@Entity('reference_trash')
export class ReferenceTrash {
  @TextColumn({ primary: true }) readonly blobKey: string;
  @TimeColumn() readonly dueAt: Date;
  /** True once a process deletes the blob. From then on no row can claim it. */
  @BooleanColumn({ default: false }) readonly sweeping: boolean;
}
