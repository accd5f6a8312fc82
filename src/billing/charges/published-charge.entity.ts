import { Entity } from 'typeorm';

import { TextColumn } from '../../platform/database/columns';

/** A charge whose id is in published files, so that it is no secret any more. */
@Entity('published_charge')
export class PublishedCharge {
  @TextColumn({ primary: true }) readonly id: string;
}
