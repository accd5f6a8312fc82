import { JOB_STATUSES } from '#work/jobs/job.entity';
import {
  AmountField,
  ChoiceField,
  FlagField,
  SchemaField,
  TextField,
  WalletField,
  WholeField,
} from '#platform/http/routes/fields';
import { WAIT_SECONDS_MAX, WAIT_SECONDS_DEFAULT, KEY_MICRO_DEFAULT, KEY_SECONDS_DEFAULT } from './mcp-limits';

/** The tool's own arguments. All other arguments are fields of the route that it calls. */
export class PayingArguments {
  @TextField({
    min: 8,
    max: 200,
    pattern: '^[ -~]+$',
    optional: true,
    about: 'The same key and arguments get the same answer, charged once.',
  })
  readonly idempotencyKey?: string;
}

export class QuotingArguments {
  @TextField({
    min: 1,
    max: 200,
    optional: true,
    about: 'A paid route of this service, instead of a model.',
  })
  readonly path?: string;
  @SchemaField({ optional: true, about: 'With path: the body of the call.' }, { type: 'object' })
  readonly body?: object;
}

export class ShowingArguments {
  @FlagField({
    optional: true,
    about: 'Send a small image as content, too. Default true.',
  })
  readonly inline?: boolean;
}

export class WaitingArguments extends ShowingArguments {
  @WholeField({
    min: 0,
    max: WAIT_SECONDS_MAX,
    optional: true,
    about: `Default ${WAIT_SECONDS_DEFAULT}; after it the answer says running.`,
  })
  readonly waitSeconds?: number;
}

export class JobArguments {
  @TextField({ min: 1, max: 100, about: 'The jobId that a generating tool answered.' })
  readonly jobId: string;
}

export class ListingArguments {
  @ChoiceField(JOB_STATUSES, { optional: true }) readonly status?: string;
  @TextField({ min: 1, max: 64, optional: true, about: 'Only those of calls with this tag.' })
  readonly tag?: string;
  @TextField({ min: 1, max: 60, optional: true, about: 'The nextCursor of the page before.' })
  readonly cursor?: string;
  @WholeField({ min: 1, max: 200, optional: true, about: 'Default 50.' }) readonly limit?: number;
}

export class HandingArguments {
  @AmountField({
    min: 1,
    optional: true,
    about: `The limit of its spending in its whole life, in micro-USD; default ${KEY_MICRO_DEFAULT}.`,
  })
  readonly limitMicro?: number;
  @WholeField({
    min: 60,
    max: 31_536_000,
    optional: true,
    about: `How long it lives; default ${KEY_SECONDS_DEFAULT}, an hour.`,
  })
  readonly expiresInSeconds?: number;
}

export class KeyArguments {
  @TextField({ min: 1, max: 100, about: 'The id that create_key or list_keys shows.' }) readonly id: string;
}

export class ReferenceArguments {
  @TextField({ min: 1, max: 100, about: 'The id that list_references shows.' }) readonly id: string;
}

export class BalanceArguments {
  @WalletField({
    optional: true,
    about: 'A wallet, whose prepaid balance anybody may see. Without it: the owner of the key that is sent.',
  })
  readonly wallet?: string;
}
