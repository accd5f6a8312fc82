import { TAG_CHARS_MAX } from '#money/billing/calls/paid-body';
import {
  AmountField,
  ChoiceField,
  ListField,
  ObjectField,
  SchemaField,
  TEXT_OR_NULL,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';
import { ATTEMPT_OUTCOMES } from '#models/providers/attempts';
import { REQUEST_STATUSES, type RequestStatus } from './request-status';

const TIME = { max: 40, optional: true, example: '2026-01-31T00:00:00Z' } as const;

class RequestKeyAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 100, optional: true }) readonly name?: string;
}

class RequestMemberAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 254, optional: true }) readonly email?: string;
}

class RequestMediumAnswer {
  @ChoiceField(['image', 'video']) readonly kind: 'image' | 'video';
  @WholeField({ min: 0, max: 86_400, optional: true }) readonly seconds?: number;
  @TextField({ max: 40, optional: true }) readonly size?: string;
}

class RequestTokensAnswer {
  @AmountField() readonly input: number;
  @AmountField() readonly output: number;
}

class AttemptAnswer {
  @ChoiceField(ATTEMPT_OUTCOMES, {
    about:
      '`unserved`: the route lacks a wanted feature. `unavailable`: the next route was tried. `failed`: the call ended.',
  })
  readonly outcome: string;
  @AmountField() readonly ms: number;
}

class RequestSessionAnswer {
  @TextField({ max: 60, about: 'A hash of the name that the program gave to its session.' })
  readonly id: string;
  @AmountField({
    optional: true,
    about:
      'The calls of the session so far that you may see, of its newest 5,000. It is fewer if a page has over four ' +
      'sessions: 20,000 for all. Absent if the sums took too long.',
  })
  readonly calls?: number;
  @AmountField({ optional: true, about: 'The cost of these calls.' }) readonly costMicro?: number;
}

export class RequestAnswer {
  @TextField({ max: 60, about: 'The charge, or the note of a refused call.' }) readonly id: string;
  @WhenField() readonly at: string;
  @ChoiceField(REQUEST_STATUSES, {
    about:
      '`refused`: no money was held. `failed`: the hold was released. `refunded`: it failed after the charge.',
  })
  readonly status: string;
  @WholeField({ min: 100, max: 599, optional: true, about: 'The HTTP status of a call that failed.' })
  readonly httpStatus?: number;
  @TextField({ max: 60, optional: true, about: 'The code of the error.' }) readonly code?: string;
  @TextField({ max: 30, optional: true, about: 'The kind of call, such as `media` or `studio`.' })
  readonly operation?: string;
  @TextField({ max: 200, optional: true, about: 'Method and path, where they are known.' })
  readonly route?: string;
  @TextField({ max: 100, optional: true }) readonly modelId?: string;
  @ObjectField(() => RequestKeyAnswer, { optional: true, about: 'Absent for calls with a session.' })
  readonly key?: RequestKeyAnswer;
  @ObjectField(() => RequestMemberAnswer, {
    optional: true,
    about: 'The signed-in person, or the maker of the key. Only for sessions.',
  })
  readonly member?: RequestMemberAnswer;
  @TextField({ max: TAG_CHARS_MAX, optional: true }) readonly tag?: string;
  @ObjectField(() => RequestSessionAnswer, {
    optional: true,
    about:
      'The session, by the header `X-Session`, `prompt_cache_key` or `metadata.user_id`. It is kept for 30 days, and ' +
      'appears some seconds after the call.',
  })
  readonly session?: RequestSessionAnswer;
  @TextField({ max: 30, optional: true }) readonly rail?: string;
  @AmountField({ about: 'The charged price, or the amount that a running call reserves.' })
  readonly costMicro: number;
  @AmountField({
    optional: true,
    about:
      'From the hold to the settlement, or to the end of the job. Of a failed call, the time of the whole request.',
  })
  readonly ms?: number;
  @ObjectField(() => RequestTokensAnswer, {
    optional: true,
    about: 'The tokens of calls that are priced by usage.',
  })
  readonly tokens?: RequestTokensAnswer;
  @ObjectField(() => RequestMediumAnswer, { optional: true }) readonly medium?: RequestMediumAnswer;
  @ListField(() => AttemptAnswer, {
    about:
      'The attempts in their order, if there was more than one or the call failed. No provider is named.',
  })
  readonly attempts: readonly AttemptAnswer[];
  @TextField({ max: 60, optional: true, about: 'GET /v1/agent/charges/{id} is its receipt.' })
  readonly chargeId?: string;
  @TextField({ max: 60, optional: true }) readonly jobId?: string;
}

const CURSOR_ABOUT =
  'Send it as `cursor` for the next page; null at the end. A rare filter may answer a short page with a cursor: older calls ' +
  'were not looked at yet.';

export class RequestsAnswer {
  @ListField(() => RequestAnswer, { about: 'Newest first.' }) readonly requests: readonly RequestAnswer[];
  @SchemaField({ about: CURSOR_ABOUT }, TEXT_OR_NULL)
  readonly nextCursor: string | null;
  @SchemaField(
    { about: 'The time back to which this page has searched; null at the end of the log.' },
    TEXT_OR_NULL,
  )
  readonly lookedBackTo: string | null;
}

export class RequestsQuery {
  @TextField({ max: 60, optional: true, about: 'Only calls with this key.' }) readonly keyId?: string;
  @TextField({ max: 100, optional: true }) readonly modelId?: string;
  @TextField({ max: 60, optional: true, about: 'Only calls of this person, and of keys that they made.' })
  readonly member?: string;
  @TextField({ max: TAG_CHARS_MAX, optional: true }) readonly tag?: string;
  @TextField({ max: 60, optional: true, about: 'Only calls of this session.' }) readonly session?: string;
  @ChoiceField(REQUEST_STATUSES, { optional: true }) readonly status?: RequestStatus;
  @TextField({ max: 60, optional: true, about: 'Only calls that failed with this code.' })
  readonly code?: string;
  @TextField({ ...TIME, about: 'The first moment.' }) readonly from?: string;
  @TextField({ ...TIME, about: 'The moment before which it ends.' }) readonly to?: string;
}

export class RequestsPageQuery extends RequestsQuery {
  @WholeField({ min: 1, max: 200, default: 50, optional: true }) readonly limit: number;
  @TextField({ max: 60, optional: true, about: 'The `nextCursor` of the page before.' })
  readonly cursor?: string;
}

class RequestBucketAnswer {
  @WhenField({ about: 'The beginning of the step.' }) readonly at: string;
  @AmountField() readonly ok: number;
  @AmountField() readonly running: number;
  @AmountField({ about: 'Failed and refunded calls.' }) readonly failed: number;
  @AmountField({ about: 'Refused calls with a note in the log.' }) readonly refused: number;
}

export class RequestHistogramAnswer {
  @WhenField() readonly from: string;
  @WhenField() readonly to: string;
  @AmountField({ min: 1, about: 'The length of each bucket.' })
  readonly bucketSeconds: number;
  @ListField(() => RequestBucketAnswer, { about: 'All buckets, oldest first, also empty ones.' })
  readonly buckets: readonly RequestBucketAnswer[];
  @SchemaField(
    {
      about: 'At most the newest 10,000 calls are counted. Then this is the first counted moment; else null.',
    },
    TEXT_OR_NULL,
  )
  readonly countedSince: string | null;
  @SchemaField(
    {
      about:
        'All refused calls in the hours of this time, whatever the filter. Only a sample of them is listed: 60 at once, then ' +
        'one in five seconds. Null for callers who see only their own calls.',
    },
    { oneOf: [{ type: 'integer' }, { type: 'null' }] },
  )
  readonly refusals: number | null;
}
