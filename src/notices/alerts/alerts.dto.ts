import {
  AmountField,
  ChoiceField,
  ListField,
  NoSlipOf,
  SchemaField,
  WhenField,
} from '#platform/http/routes/fields';
import { ALERT_DEFAULTS } from './alert-thresholds';
import { ALERT_TYPES } from './alert.entity';

const PERCENTS_MAX = 10;
const PERCENTS = {
  type: 'array',
  maxItems: PERCENTS_MAX,
  uniqueItems: true,
  items: { type: 'integer', minimum: 1, maximum: 100 },
};

const BALANCE_LOW = 'Warn when the balance is below this. 0 is never.';
const SPEND_DAY = 'Warn when this much was spent on a day of UTC. Absent is never.';
const KEY_PERCENT = 'Warn when a key has spent so many percent of its limit.';

@NoSlipOf('balanceLowMicro', 'spendDayMicro', 'keyPercent')
export class AlertsBody {
  @AmountField({
    optional: true,
    about: `${BALANCE_LOW} Without it, ${ALERT_DEFAULTS.balanceLow}.`,
  })
  readonly balanceLowMicro?: number;
  @AmountField({ min: 1, optional: true, about: SPEND_DAY })
  readonly spendDayMicro?: number;
  @SchemaField(
    { optional: true, about: `${KEY_PERCENT} Without it, ${ALERT_DEFAULTS.keyPercent.join(' and ')}.` },
    PERCENTS,
  )
  readonly keyPercent?: readonly number[];
}

export class AlertAnswer {
  @ChoiceField(ALERT_TYPES) readonly type: string;
  @WhenField() readonly since: string;
  @SchemaField({ about: 'The data of its event.' }, { type: 'object' }) readonly data: object;
}

export class AlertsAnswer {
  @AmountField({ about: BALANCE_LOW }) readonly balanceLowMicro: number;
  @AmountField({ min: 1, optional: true, about: SPEND_DAY })
  readonly spendDayMicro?: number;
  @SchemaField({ about: KEY_PERCENT }, PERCENTS) readonly keyPercent: readonly number[];
  @ListField(() => AlertAnswer, { about: 'Active alerts, newest first.' })
  readonly standing: readonly AlertAnswer[];
}
