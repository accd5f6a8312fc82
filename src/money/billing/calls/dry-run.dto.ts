import { railNames } from '../rails/rail-order';
import { AmountField, ChoiceField, SchemaField, TextField } from '#platform/http/routes/fields';

/** The answer to a call with `dryRun`, on every paid route. */
export class DryRunAnswer {
  @SchemaField({}, { type: 'boolean', enum: [true] }) readonly dryRun: true;
  @TextField({ max: 100 }) readonly modelId: string;
  @AmountField({ min: 1, about: 'The price that the call would have, in micro-USD.' })
  readonly priceMicro: number;
  @ChoiceField(railNames(), { about: 'The rail that would pay.' }) readonly rail: string;
  @AmountField({ optional: true, about: 'The prepaid balance that would remain.' })
  readonly balanceAfterMicro?: number;
}
