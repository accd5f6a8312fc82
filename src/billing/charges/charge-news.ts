import { Injectable } from '@nestjs/common';

import { Database } from '../../platform/database/database';
import { RowNews } from '../../platform/database/row-news';

/** Tells those who wait for a charge that it has moved. */
@Injectable()
export class ChargeNews extends RowNews {
  constructor(db: Database) {
    super(db, 'charge_moved');
  }
}
