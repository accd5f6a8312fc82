import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';

import { ifPresent, present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { AlertSetting } from './alert-setting.entity';
import { Alert } from './alert.entity';

@Injectable()
export class AlertRepository {
  constructor(
    private readonly db: Database,
    @InjectRepository(Alert) private readonly alerts: Repository<Alert>,
    @InjectRepository(AlertSetting) private readonly settings: Repository<AlertSetting>,
  ) {}

  /** The active alerts of an owner, the newest first. */
  standing(owner: string): Promise<Alert[]> {
    return this.alerts.find({ where: { owner }, order: { since: 'desc', type: 'asc', subject: 'asc' } });
  }

  async settingOf(owner: string): Promise<AlertSetting> {
    return present(await this.settings.findOneBy({ owner })) ?? { owner };
  }

  async set({ owner, balanceLow, spendDay, keyPercent }: AlertSetting): Promise<void> {
    await this.db.rows(
      `insert into alert_setting (owner, balance_low_micro, spend_day_micro, key_percent) values ($1, $2, $3, $4)
       on conflict (owner) do update set balance_low_micro = excluded.balance_low_micro,
         spend_day_micro = excluded.spend_day_micro, key_percent = excluded.key_percent`,
      [owner, balanceLow, spendDay, ifPresent(keyPercent, JSON.stringify)],
      'alert-set',
    );
  }
}
