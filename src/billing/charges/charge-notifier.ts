import { Injectable } from '@nestjs/common';

import { Database } from '../../platform/database/database';
import { RowNotifier } from '../../platform/database/row-notifier';

/** Tells those who wait for a charge that it has moved. */
@Injectable()
export class ChargeNotifier extends RowNotifier {
  constructor(db: Database) {
    super(db, 'charge_moved');
  }
}
