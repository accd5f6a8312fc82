import { Injectable } from '@nestjs/common';

import { Database } from '../platform/database/database';
import { RowNotifier } from '../platform/database/row-notifier';

/** Tells whoever brings deliveries to a host that there are more. */
@Injectable()
export class WebhookNotifier extends RowNotifier {
  constructor(db: Database) {
    super(db, 'webhook_due');
  }
}
