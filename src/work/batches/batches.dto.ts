import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  ObjectField,
  SchemaField,
  TEXT_OR_NULL,
  TextField,
  WholeField,
} from '#platform/http/routes/fields';
import { BATCH_ENDPOINTS } from './batch-calls';
import { BATCH_STATUSES } from './batch.entity';
import { FILE_PURPOSES } from './batch-file.entity';

const COUNT = { min: 0, max: 20_000 };
const SECONDS_OR_NULL = { oneOf: [{ type: 'integer' }, { type: 'null' }] };
/** Text that the database can store: without control characters and halves of characters. */
const STORABLE = '^[^\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f\\ud800-\\udfff]*$';
const METADATA = {
  type: 'object',
  maxProperties: 16,
  propertyNames: { pattern: STORABLE },
  additionalProperties: { type: 'string', maxLength: 512, pattern: STORABLE },
};

export class BatchFileAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(['file']) readonly object: string;
  @AmountField() readonly bytes: number;
  @AmountField() readonly created_at: number;
  @AmountField({ about: 'The time at which the file is deleted.' }) readonly expires_at: number;
  @TextField({ max: 200 }) readonly filename: string;
  @ChoiceField(FILE_PURPOSES) readonly purpose: string;
  @ChoiceField(['processed']) readonly status: string;
}

export class BatchFilesAnswer {
  @ChoiceField(['list']) readonly object: string;
  @ListField(() => BatchFileAnswer) readonly data: readonly BatchFileAnswer[];
  @FlagField() readonly has_more: boolean;
}

export class DeletedFileAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(['file']) readonly object: string;
  @FlagField() readonly deleted: boolean;
}

export class BatchBody {
  @TextField({ min: 1, max: 60, about: 'The id of your file, which has the purpose `batch`.' })
  readonly input_file_id: string;
  @ChoiceField(BATCH_ENDPOINTS, { about: 'The route of all calls.' }) readonly endpoint: string;
  @ChoiceField(['24h'], { about: 'Calls that have not begun after a day expire, and cost nothing.' })
  readonly completion_window: string;
  @SchemaField({ optional: true, about: 'Up to 16 short texts for your own use.' }, METADATA)
  readonly metadata?: Readonly<Record<string, string>>;
}

export class BatchCountsAnswer {
  @WholeField(COUNT) readonly total: number;
  @WholeField(COUNT) readonly completed: number;
  @WholeField(COUNT) readonly failed: number;
}

export class BatchAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(['batch']) readonly object: string;
  @ChoiceField(BATCH_ENDPOINTS) readonly endpoint: string;
  @SchemaField({}, { type: 'null' }) readonly errors: null;
  @TextField({ max: 60 }) readonly input_file_id: string;
  @ChoiceField(['24h']) readonly completion_window: string;
  @ChoiceField(BATCH_STATUSES) readonly status: string;
  @SchemaField({ about: 'The answers of the calls that succeeded, when the batch has ended.' }, TEXT_OR_NULL)
  readonly output_file_id: string | null;
  @SchemaField({ about: 'The errors of the calls that failed, when the batch has ended.' }, TEXT_OR_NULL)
  readonly error_file_id: string | null;
  @AmountField() readonly created_at: number;
  @SchemaField({}, SECONDS_OR_NULL) readonly in_progress_at: number | null;
  @AmountField() readonly expires_at: number;
  @SchemaField({}, SECONDS_OR_NULL) readonly finalizing_at: number | null;
  @SchemaField({}, SECONDS_OR_NULL) readonly completed_at: number | null;
  @SchemaField({}, SECONDS_OR_NULL) readonly failed_at: number | null;
  @SchemaField({}, SECONDS_OR_NULL) readonly expired_at: number | null;
  @SchemaField({}, SECONDS_OR_NULL) readonly cancelling_at: number | null;
  @SchemaField({}, SECONDS_OR_NULL) readonly cancelled_at: number | null;
  @ObjectField(() => BatchCountsAnswer) readonly request_counts: BatchCountsAnswer;
  @SchemaField({}, { oneOf: [{ type: 'object' }, { type: 'null' }] })
  readonly metadata: Readonly<Record<string, string>> | null;
  @AmountField({ about: 'The most that all calls can cost, in micro-USD. It is reserved until the end.' })
  readonly heldMicro: number;
  @WholeField({ min: 0, max: 100, about: 'The discount on each call.' }) readonly discountPercent: number;
  @TextField({ max: 60, about: 'The delegated key that pays the calls: the request log and usage name it.' })
  readonly payingKeyId: string;
}

export class BatchesAnswer {
  @ChoiceField(['list']) readonly object: string;
  @ListField(() => BatchAnswer) readonly data: readonly BatchAnswer[];
  @SchemaField({}, TEXT_OR_NULL) readonly first_id: string | null;
  @SchemaField({}, TEXT_OR_NULL) readonly last_id: string | null;
  @FlagField() readonly has_more: boolean;
}

export class BatchesQuery {
  @WholeField({ min: 1, max: 100, default: 20, optional: true }) readonly limit: number;
  @TextField({ min: 1, max: 60, optional: true, about: 'The last id of the page before.' })
  readonly after?: string;
}
