import { Injectable } from '@nestjs/common';

import { Database } from '../platform/database/database';
import { RowNews } from '../platform/database/row-news';

/** Tells whoever brings deliveries to a host that there are more. */
@Injectable()
export class WebhookNews extends RowNews {
  constructor(db: Database) {
    super(db, 'webhook_due');
  }
}
