import { IDEMPOTENCY_KEY_CHARS_MAX } from '#platform/http/routes/idempotency-key';
import { TAG_CHARS_MAX } from '#money/billing/calls/paid-body';
import { NextCursorField, PageQuery } from '#platform/http/routes/page-query';
import { CHARGE_STATES } from '#money/billing/charges/charge.entity';
import {
  ChoiceField,
  FlagField,
  ListField,
  NumberField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';
import { JOB_ERROR_CODES } from './job-failures';
import { JOB_STATUSES, type JobStatus, REFERENCE_INPUTS } from './job.entity';

export class UsedReferenceAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(REFERENCE_INPUTS, { about: 'The input that it fills.' })
  readonly input: string;
  @NumberField({
    min: -1,
    max: 1,
    optional: true,
    about: 'The similarity to the prompt; absent if the call pinned the reference.',
  })
  readonly score?: number;
}

export class JobAnswer {
  @ChoiceField(JOB_STATUSES) readonly status: string;
  @TextField({ max: 500, optional: true, about: 'The address of the medium, once the job is done.' })
  readonly url?: string;
  @SchemaField(
    { optional: true, about: 'The addresses of all results of a call with `n`; the first is `url`.' },
    { type: 'array', items: { type: 'string' } },
  )
  readonly urls?: readonly string[];
  @TextField({ max: 500, optional: true, about: 'The reason of the failure.' }) readonly error?: string;
  @ChoiceField(JOB_ERROR_CODES, { optional: true, about: 'The error code of the failure, for programs.' })
  readonly errorCode?: string;
  @TextField({ max: 100 }) readonly modelId: string;
  @ChoiceField(['image', 'video']) readonly kind: string;
  @WholeField({ min: 0, max: 100, optional: true, about: 'Percent.' }) readonly progress?: number;
  @ListField(() => UsedReferenceAnswer, {
    optional: true,
    about: 'The references that the job uses, if the call asked for references.',
  })
  readonly references?: readonly UsedReferenceAnswer[];
  @FlagField({ about: 'Whether POST /v1/agent/jobs/{id}/cancel may still stop it and give its money back.' })
  readonly cancellable: boolean;
  @TextField({ max: 64, optional: true, about: 'The tag of the call.' }) readonly tag?: string;
  @ChoiceField([...CHARGE_STATES, 'none']) readonly chargeState: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true }) readonly finishedAt?: string;
}

export class ListedJob extends JobAnswer {
  @TextField({ max: 60 }) readonly id: string;
}

export class JobListAnswer {
  @ListField(() => ListedJob, { about: 'Newest first.' }) readonly jobs: readonly ListedJob[];
}

/** A charge's id is a permission of its own, so only the job's owner gets it. */
export class OwnJob extends ListedJob {
  @TextField({ max: 60, about: 'GET /v1/agent/charges/{id} shows the payment.' }) readonly chargeId: string;
}

export class OwnJobsAnswer {
  @ListField(() => OwnJob, { about: 'Newest first.' }) readonly jobs: readonly OwnJob[];
  @NextCursorField() readonly nextCursor: string | null;
}

/** The newest items, without pages. */
export class NewestQuery {
  @WholeField({ min: 1, max: 200, default: 50, optional: true }) readonly limit: number;
}

export class OwnJobsQuery extends PageQuery {
  @ChoiceField(JOB_STATUSES, { optional: true }) readonly status?: JobStatus;
  @TextField({ max: TAG_CHARS_MAX, optional: true, about: 'Only those of calls with this `tag`.' })
  readonly tag?: string;
  @TextField({
    max: IDEMPOTENCY_KEY_CHARS_MAX,
    optional: true,
    about:
      'Only that of the call that was made under this `Idempotency-Key`, for a call whose answer was lost.',
  })
  readonly idempotencyKey?: string;
}
