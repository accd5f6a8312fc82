import { Entity } from 'typeorm';

import { TextColumn } from '#platform/database/columns';

/** A charge whose id is in published files and therefore public. */
@Entity('published_charge')
export class PublishedCharge {
  @TextColumn({ primary: true }) readonly id: string;
}
