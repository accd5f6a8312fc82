import { Inject, Injectable } from '@nestjs/common';

import { SETTINGS, type Settings } from '../platform/config/settings';
import { ScheduledProcessor } from '../platform/queue/scheduled-processor';
import { AlertRepository } from './alert.repository';
import { ALERT_TYPES } from './alert.entity';

/** Finds new and ended alerts in the background, so paid calls do no work for alerts. */
@Injectable()
export class AlertsProcessor extends ScheduledProcessor {
  readonly name = 'alerts';
  readonly everyMs = 15_000;

  constructor(
    private readonly alerts: AlertRepository,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {
    super();
  }

  async run(): Promise<void> {
    const byMail = this.settings.mail !== undefined;
    for (const type of ALERT_TYPES) await this.alerts.look(type, byMail);
  }
}
