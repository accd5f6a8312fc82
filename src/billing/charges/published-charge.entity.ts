import { Entity } from 'typeorm';

import { TextColumn } from '../../platform/database/columns';

/** A charge whose id stands in files that were given out, so that it is no secret any more. */
@Entity('published_charge')
export class PublishedCharge {
  @TextColumn({ primary: true }) readonly id: string;
}
