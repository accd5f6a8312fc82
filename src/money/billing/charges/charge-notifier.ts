import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { RowNotifier } from '#platform/database/row-notifier';

/** Wakes code that waits for a charge to change. */
@Injectable()
export class ChargeNotifier extends RowNotifier {
  constructor(db: Database) {
    super(db, 'charge_moved');
  }
}
