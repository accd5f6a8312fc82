import { Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { SweepRows } from '#platform/queue/sweep-rows.repository';
import { ENDED_ROWS } from './oauth-row.repository';

/** Deletes tokens and sign-ins that are over, and apps that nobody has connected for a day. */
@Injectable()
export class OauthSweepProcessor extends ScheduledProcessor {
  readonly name = 'oauth';
  readonly everyMs = 60_000;

  constructor(private readonly rows: SweepRows) {
    super();
  }

  run(): Promise<void> {
    return this.rows.run(ENDED_ROWS);
  }
}
