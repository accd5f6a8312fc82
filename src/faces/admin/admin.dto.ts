import { PROOF_DUE } from '#people/accounts/accounts.dto';
import { JOB_STATUSES, type JobStatus } from '#work/jobs/job.entity';
import { NextCursorField, PageQuery } from '#platform/http/routes/page-query';
import { CHARGE_STATES, type ChargeState } from '#money/billing/charges/charge.entity';
import { railNames } from '#money/billing/rails/rail-order';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  NoSlipOf,
  ObjectField,
  SchemaField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';
import { ADMIN_ACTIONS } from './audit-entry.entity';

const WHEN_OR_NULL = { oneOf: [{ type: 'string', format: 'date-time' }, { type: 'null' }] };

export class AdminAccount {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 254, about: "The email address of a person's account.", optional: true })
  readonly email?: string;
  @TextField({
    max: 100,
    about: 'The name of an organisation that several people can share.',
    optional: true,
  })
  readonly name?: string;
  @AmountField() readonly balanceMicro: number;
  @WhenField() readonly createdAt: string;
  @SchemaField({ about: 'Null while the account is open.' }, WHEN_OR_NULL) readonly bannedAt: string | null;
  @WhenField({ optional: true, about: 'The time at which its owner closed it.' }) readonly closedAt?: string;
  @FlagField({ about: PROOF_DUE }) readonly proofDue: boolean;
}

export class AdminAccountsAnswer {
  @ListField(() => AdminAccount, { about: 'Newest first.' }) readonly accounts: readonly AdminAccount[];
  @NextCursorField() readonly nextCursor: string | null;
}

@NoSlipOf('reason')
export class BanBody {
  @TextField({ min: 1, max: 500, optional: true, about: 'The audit keeps this text.' })
  readonly reason?: string;
}

@NoSlipOf('removeSecondFactor')
export class ResetLinkBody {
  @TextField({
    min: 1,
    max: 500,
    about: 'How you verified that the person asks for it. The audit keeps this text.',
  })
  readonly reason: string;
  @FlagField({
    optional: true,
    default: false,
    about: 'Removes the authenticator app as well, for a person who lost it and the recovery codes.',
  })
  readonly removeSecondFactor: boolean;
}

export class ResetLinkAnswer {
  @TextField({ max: 500, about: 'Send this link only to the person. It works once.' }) readonly url: string;
  @WhenField() readonly expiresAt: string;
}

export class CreditBody {
  @WholeField({ min: 1, max: 10_000_000_000, about: 'The amount to credit, in micro-USD; at most $10,000.' })
  readonly amountMicro: number;
  @TextField({ min: 1, max: 500, about: 'The audit keeps this text.' }) readonly reason: string;
}

export class AdminCharge {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(CHARGE_STATES) readonly state: string;
  @ChoiceField(railNames()) readonly rail: string;
  @TextField({ max: 20 }) readonly operation: string;
  @TextField({ max: 60 }) readonly payer: string;
  @TextField({ max: 60, optional: true }) readonly keyId?: string;
  @TextField({ max: 100, optional: true }) readonly modelId?: string;
  @AmountField() readonly priceMicro: number;
  @TextField({ max: 60, optional: true }) readonly jobId?: string;
  @WhenField({ optional: true, about: 'The time at which the process of a held charge counts as dead.' })
  readonly leaseUntil?: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true }) readonly settledAt?: string;
  @WhenField({ optional: true }) readonly refundedAt?: string;
}

export class AdminChargesAnswer {
  @ListField(() => AdminCharge, { about: 'Newest first.' }) readonly charges: readonly AdminCharge[];
  @NextCursorField() readonly nextCursor: string | null;
}

export class QueueFailureLine {
  @TextField({ max: 100 }) readonly queue: string;
  @TextField({ max: 100, about: 'The job: `refund-sweep`, say.' }) readonly job: string;
  @WhenField() readonly at: string;
  @TextField({ max: 500, about: 'The message of the failure.' }) readonly reason: string;
}

export class QueuesAnswer {
  @SchemaField(
    { about: 'Entries by queue and state.' },
    { type: 'object', additionalProperties: { type: 'object', additionalProperties: { type: 'integer' } } },
  )
  readonly queues: Readonly<Record<string, Readonly<Record<string, number>>>>;
  @ListField(() => QueueFailureLine, {
    about: 'Jobs that failed of late, newest first. The next run tries again.',
  })
  readonly failures: readonly QueueFailureLine[];
}

export class DriftReading {
  @WhenField() readonly at: string;
  @SchemaField(
    { about: 'Micro-USD by ledger. Anything but 0 is an incident.' },
    { type: 'object', additionalProperties: { type: 'integer' } },
  )
  readonly driftMicro: Readonly<Record<string, number>>;
}

export class DriftAnswer {
  @ObjectField(() => DriftReading, { about: 'The drift at this moment, read for this answer.' })
  readonly now: DriftReading;
  @ObjectField(() => DriftReading, { optional: true, about: 'The last reading of this process before it.' })
  readonly last?: DriftReading;
}

export class AuditLine {
  @TextField({ max: 20 }) readonly id: string;
  @ChoiceField(ADMIN_ACTIONS) readonly action: string;
  @TextField({ max: 60, optional: true, about: 'Absent if the action concerns no account.' })
  readonly accountId?: string;
  @TextField({ max: 120, optional: true, about: 'The object of the action, such as `model ember-image`.' })
  readonly subject?: string;
  @AmountField({ optional: true }) readonly amountMicro?: number;
  @TextField({ max: 50_000, optional: true, about: 'With the changes of a model in words.' })
  readonly reason?: string;
  @TextField({ max: 60, optional: true, about: 'The name of the operator.' }) readonly operator?: string;
  @TextField({ max: 100 }) readonly requestId: string;
  @TextField({ max: 60 }) readonly ip: string;
  @WhenField() readonly createdAt: string;
}

export class AuditAnswer {
  @ListField(() => AuditLine, { about: 'Newest first.' }) readonly entries: readonly AuditLine[];
  @NextCursorField() readonly nextCursor: string | null;
}

export class AdminAccountsQuery extends PageQuery {
  @TextField({
    min: 1,
    max: 254,
    optional: true,
    about: 'An id, or a part of an email address or of a name.',
  })
  readonly search?: string;
}

export class AdminChargesQuery extends PageQuery {
  @ChoiceField(CHARGE_STATES, { optional: true }) readonly state?: ChargeState;
  @TextField({
    min: 1,
    max: 60,
    optional: true,
    about: 'The id of a charge, a job or a key, or a payer: an account or a wallet.',
  })
  readonly search?: string;
}

export class AdminJobsQuery {
  @WholeField({ min: 1, max: 200, default: 50, optional: true }) readonly limit: number;
  @ChoiceField(JOB_STATUSES, { optional: true }) readonly status?: JobStatus;
}
