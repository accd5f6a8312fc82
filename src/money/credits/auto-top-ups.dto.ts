import { CARD_USD } from './card-amounts';
import { AmountField, FlagField, NumberField, TextField, WholeField } from '#platform/http/routes/fields';

const USD_MAX = 1_000_000;

export class AutoTopUpBody {
  @FlagField() readonly enabled: boolean;
  @NumberField({
    min: 0.01,
    max: USD_MAX,
    about: 'The card is charged when the balance is below this, in USD.',
    example: 5,
  })
  readonly belowUsd: number;
  @NumberField({ ...CARD_USD, about: 'What is charged each time, in USD.', example: 25 })
  readonly amountUsd: number;
  @NumberField({ min: 1, max: USD_MAX, about: 'The most in a month of UTC, in USD.', example: 100 })
  readonly monthUsd: number;
}

export class AutoTopUpAnswer {
  @FlagField({ about: 'False if this service saves no cards.' }) readonly available: boolean;
  @FlagField() readonly enabled: boolean;
  @TextField({ max: 100, optional: true, about: 'The saved card: its brand, last digits and expiry.' })
  readonly card?: string;
  @NumberField({ min: 0, max: USD_MAX, optional: true }) readonly belowUsd?: number;
  @NumberField({ min: 0, max: CARD_USD.max, optional: true }) readonly amountUsd?: number;
  @NumberField({ min: 0, max: USD_MAX, optional: true }) readonly monthUsd?: number;
  @AmountField({ about: 'Charged in this month of UTC, in micro-USD.' })
  readonly usedMicro: number;
  @WholeField({
    min: 0,
    max: 100,
    about: 'Failed charges since the last good one. The third one switches it off.',
  })
  readonly failures: number;
  @TextField({ max: 60, optional: true, about: 'The reason of the last failure, such as declined.' })
  readonly lastFailure?: string;
}

export class CardPageAnswer {
  @TextField({ max: 2_000, about: 'Where the person saves the card.' }) readonly checkoutUrl: string;
}
