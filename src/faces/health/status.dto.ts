import {
  AmountField,
  ChoiceField,
  ListField,
  NumberField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';
import { STATUS_WINDOWS, type StatusWindow } from './status-windows';

const SECONDS_OR_NULL = { oneOf: [{ type: 'number', minimum: 0 }, { type: 'null' }] };
const NONE = 'Null when no call succeeded.';

export class ModelHealthPoint {
  @WhenField({ about: 'The beginning of this step.' }) readonly at: string;
  @AmountField() readonly done: number;
  @AmountField() readonly failed: number;
  @SchemaField({ about: NONE }, SECONDS_OR_NULL) readonly medianSeconds: number | null;
}

export class ModelHealth {
  @TextField({ max: 100 }) readonly modelId: string;
  @ChoiceField(['chat', 'image', 'video']) readonly kind: string;
  @AmountField({ about: 'Calls that succeeded.' }) readonly done: number;
  @AmountField({ about: 'Calls that the model failed; nobody paid for them.' })
  readonly failed: number;
  @NumberField({ min: 0, max: 1, about: 'The part that succeeded.' }) readonly successRate: number;
  @SchemaField({ about: NONE }, SECONDS_OR_NULL) readonly medianSeconds: number | null;
  @SchemaField({ about: `95 percent of the calls took less time than this. ${NONE}` }, SECONDS_OR_NULL)
  readonly p95Seconds: number | null;
  @ListField(() => ModelHealthPoint, { about: 'The steps in which there were calls, oldest first.' })
  readonly points: readonly ModelHealthPoint[];
}

export class StatusAnswer {
  @ChoiceField(STATUS_WINDOWS) readonly window: string;
  @WhenField() readonly from: string;
  @WhenField({ about: 'The time of this measurement, which happens at most once a minute.' })
  readonly to: string;
  @WholeField({ min: 1, max: 86_400, about: 'The length of a step in seconds.' })
  readonly stepSeconds: number;
  @ListField(() => ModelHealth, { about: 'Models that were called in this time.' })
  readonly models: readonly ModelHealth[];
}

export class StatusQuery {
  @ChoiceField(STATUS_WINDOWS, { default: '24h', optional: true }) readonly window: StatusWindow;
}
