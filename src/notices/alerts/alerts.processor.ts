import { Inject, Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { lowered, raised } from './alert-rules.sql';
import { ALERT_TYPES } from './alert.entity';
import { SweepRows } from '#platform/queue/sweep-rows.repository';
import { SETTINGS } from '#platform/config/settings';
import type { MailSettings } from '#platform/mail/mail.settings';

/** Finds new and ended alerts in the background, so paid calls do no work for alerts. */
@Injectable()
export class AlertsProcessor extends ScheduledProcessor {
  readonly name = 'alerts';
  readonly everyMs = 15_000;

  constructor(
    private readonly rows: SweepRows,
    @Inject(SETTINGS) private readonly settings: MailSettings,
  ) {
    super();
  }

  async run(): Promise<void> {
    const byMail = this.settings.mail !== undefined;
    // An ended alert is removed before new ones are added, so that the owner is warned again if a problem returns.
    await this.each(
      ...ALERT_TYPES.flatMap((type) => [
        () => this.rows.run(lowered(type)),
        () => this.rows.run(raised(type), [byMail]),
      ]),
    );
  }
}
