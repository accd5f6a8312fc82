import { Injectable } from '@nestjs/common';

import { Database } from '../platform/database/database';
import { RowNotifier } from '../platform/database/row-notifier';

/** Tells those who wait for a job that it has ended. */
@Injectable()
export class JobNotifier extends RowNotifier {
  constructor(db: Database) {
    super(db, 'job_moved');
  }
}
