import { AmountField, ChoiceField, ListField, TextField, WholeField } from '#platform/http/routes/fields';

const SIGNED = { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
const MODEL = { max: 100, about: 'Empty for charges without a model.' };

export class RouteCostLine {
  @TextField({ max: 40 }) readonly provider: string;
  @TextField({ max: 200, about: "The provider's own name of the model." }) readonly model: string;
  @AmountField({ about: 'Calls that were sent to this route.' }) readonly calls: number;
  @AmountField({ about: 'Calls among them whose answer was not used.' })
  readonly unusedCalls: number;
  @AmountField() readonly costMicro: number;
  @AmountField({ about: "The part of `costMicro` that the vendor's answers named." })
  readonly reportedMicro: number;
}

class MarginFigures {
  @AmountField({ about: 'Charged calls.' }) readonly calls: number;
  @AmountField({ about: 'Charges, without those that were refunded.' })
  readonly revenueMicro: number;
  @AmountField({ about: 'The cost at vendors, by their answers or by the rates of the catalog.' })
  readonly costMicro: number;
  @WholeField({ ...SIGNED, about: 'Revenue minus cost.' }) readonly marginMicro: number;
}

export class ModelMargin extends MarginFigures {
  @TextField(MODEL) readonly modelId: string;
  @ChoiceField(['ok', 'below-cost'], { about: 'Whether the model sold below cost in these days.' })
  readonly status: string;
}

export class DayMargin extends MarginFigures {
  @TextField({ max: 10, about: 'A day of UTC.' }) readonly day: string;
  @TextField(MODEL) readonly modelId: string;
  @ListField(() => RouteCostLine) readonly routes: readonly RouteCostLine[];
}

export class MarginsAnswer {
  @TextField({ max: 10 }) readonly from: string;
  @TextField({ max: 10 }) readonly to: string;
  @ListField(() => ModelMargin, { about: 'The lowest margin first.' })
  readonly models: readonly ModelMargin[];
  @ListField(() => DayMargin, { about: 'Newest first.' }) readonly days: readonly DayMargin[];
}
