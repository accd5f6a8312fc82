import { Entity } from 'typeorm';

import { BooleanColumn, CountColumn, TextColumn, TimeColumn } from '#platform/database/columns';

/** A finished image or video in our own store. */
@Entity('media')
export class Media {
  @TextColumn({ primary: true }) readonly id: string;
  @TextColumn() readonly jobId: string;
  @TextColumn() readonly blobKey: string;
  @TextColumn() readonly mime: string;
  @CountColumn() readonly bytes: number;
  @TimeColumn({ default: () => 'now()' }) readonly createdAt: Date;
  @TimeColumn() readonly expiresAt: Date;
  /** The medium was made before its charge was decided, and nobody sees it until then. */
  @BooleanColumn({ default: false }) readonly awaitsCharge: boolean;
}
