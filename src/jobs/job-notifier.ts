import { Injectable } from '@nestjs/common';

import { Database } from '../platform/database/database';
import { RowNews } from '../platform/database/row-news';

/** Tells those who wait for a job that it has ended. */
@Injectable()
export class JobNotifier extends RowNews {
  constructor(db: Database) {
    super(db, 'job_moved');
  }
}
