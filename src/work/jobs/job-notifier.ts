import { Injectable } from '@nestjs/common';

import { Database } from '#platform/database/database';
import { RowNotifier } from '#platform/database/row-notifier';

/** Wakes code that waits for a job to end. */
@Injectable()
export class JobNotifier extends RowNotifier {
  constructor(db: Database) {
    super(db, 'job_moved');
  }
}
