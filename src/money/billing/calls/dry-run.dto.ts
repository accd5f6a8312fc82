import { railNames } from '../rails';
import { ChoiceField, SchemaField, TextField, WholeField } from '#platform/http/routes/fields';

/** The answer to a call with `dryRun`, on every paid route. */
export class DryRunAnswer {
  @SchemaField({}, { type: 'boolean', enum: [true] }) readonly dryRun: true;
  @TextField({ max: 100 }) readonly modelId: string;
  @WholeField({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    about: 'The price that the call would have, in micro-USD.',
  })
  readonly priceMicro: number;
  @ChoiceField(railNames(), { about: 'The rail that would pay.' }) readonly rail: string;
  @WholeField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    optional: true,
    about: 'The prepaid balance that would remain.',
  })
  readonly balanceAfterMicro?: number;
}
