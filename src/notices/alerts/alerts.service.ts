import { Injectable } from '@nestjs/common';

import { micro, microToJson } from '#kernel/money';
import { ifPresent } from '#kernel/present';
import { ALERT_DEFAULTS } from './alert-thresholds';
import { AlertRepository } from './alert.repository';
import type { AlertsAnswer, AlertsBody } from './alerts.dto';

@Injectable()
export class AlertsService {
  constructor(private readonly alerts: AlertRepository) {}

  async show(owner: string): Promise<AlertsAnswer> {
    const [setting, standing] = await Promise.all([
      this.alerts.settingOf(owner),
      this.alerts.standing(owner),
    ]);
    return {
      balanceLowMicro: microToJson(setting.balanceLow ?? ALERT_DEFAULTS.balanceLow),
      spendDayMicro: ifPresent(setting.spendDay, microToJson),
      keyPercent: setting.keyPercent ?? ALERT_DEFAULTS.keyPercent,
      standing: standing.map(({ type, since, data }) => ({ type, since: since.toISOString(), data })),
    };
  }

  /** Replaces all settings. A missing setting gets its default. */
  async set(owner: string, body: AlertsBody): Promise<AlertsAnswer> {
    await this.alerts.set({
      owner,
      balanceLow: ifPresent(body.balanceLowMicro, (amount) => micro(BigInt(amount))),
      spendDay: ifPresent(body.spendDayMicro, (amount) => micro(BigInt(amount))),
      keyPercent: body.keyPercent,
    });
    return this.show(owner);
  }
}
