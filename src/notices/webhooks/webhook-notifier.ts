import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { RowNotifier } from '#platform/database/row-notifier';

/** Wakes the worker of a host when the host has more deliveries. */
@Injectable()
export class WebhookNotifier extends RowNotifier {
  constructor(db: Database) {
    super(db, 'webhook_due');
  }
}
