import { CARD_USD } from './card-amounts';
import { NextCursorField, PageQuery } from '#platform/http/routes/page-query';
import { PROOF_DUE } from '#people/accounts/accounts.dto';
import { ROLES } from '#people/accounts/roles';
import { ROLE_LINES } from '#people/accounts/routes/account-routes';
import { ENTRY_KINDS, type EntryKind } from '#money/billing/ledger/ledger-entry.entity';
import {
  AmountField,
  ChoiceField,
  FlagField,
  ListField,
  NumberField,
  ObjectField,
  SchemaField,
  TEXT_OR_NULL,
  TextField,
  WhenField,
} from '#platform/http/routes/fields';

export class CreditTransaction {
  @TextField({ max: 120 }) readonly id: string;
  @ChoiceField(ENTRY_KINDS, { about: 'The kind shows the direction, because amounts are positive.' })
  readonly kind: string;
  @AmountField({ min: 1 }) readonly amountMicro: number;
  @AmountField() readonly balanceAfterMicro: number;
  @TextField({ max: 60, optional: true, about: 'GET /v1/agent/charges/{id} shows it.' })
  readonly chargeId?: string;
  @TextField({ max: 100, optional: true }) readonly modelId?: string;
  @TextField({ max: 80, optional: true }) readonly transaction?: string;
  @TextField({ max: 40, optional: true, about: 'Its network.' }) readonly network?: string;
  @WhenField() readonly createdAt: string;
}

export class CreditTransactionsAnswer {
  @ListField(() => CreditTransaction, { about: 'Newest first.' })
  readonly transactions: readonly CreditTransaction[];
  @NextCursorField() readonly nextCursor: string | null;
}

export class KeyBalanceAnswer {
  @NumberField({ min: 0, about: 'The same in USD, to read; count with balanceMicro.' })
  readonly balanceUsd: number;
  @AmountField({ about: 'The amount that calls may spend, in micro-USD.' })
  readonly balanceMicro: number;
  @AmountField({ about: 'The money that is reserved for keys and for running calls.' })
  readonly reservedMicro: number;
  @ChoiceField(['USD']) readonly currency: string;
  @ListField(() => CreditTransaction, { about: 'The 10 newest credit transactions.' })
  readonly recent: readonly CreditTransaction[];
  @TextField({ max: 500, about: 'The page on which to top up.' }) readonly topUp: string;
}

class ActedFor {
  @TextField({ max: 60 }) readonly id: string;
  @TextField({ max: 254, about: 'The name of the organisation; for your own one, your email address.' })
  readonly name: string;
  @ChoiceField(ROLES, { about: 'Your role in the organisation.' }) readonly role: string;
  @SchemaField(
    {
      about:
        'The permissions of your role: routes of the account by name, and the whole agent API as one entry to read ' +
        'and one to change.',
    },
    { type: 'array', items: { type: 'string', enum: ROLE_LINES } },
  )
  readonly may: readonly string[];
}

export class AccountAnswer {
  @TextField({ max: 60, about: 'The id of the signed-in person.' }) readonly id: string;
  @TextField({ max: 254 }) readonly email: string;
  @FlagField({ about: PROOF_DUE }) readonly proofDue: boolean;
  @ObjectField(() => ActedFor, { about: 'The organisation that you act for: its are the balances.' })
  readonly organisation: ActedFor;
  @AmountField({ about: 'The amount that calls may spend, in micro-USD.' })
  readonly balanceMicro: number;
  @AmountField({ about: 'The money that is reserved for keys and for running calls.' })
  readonly reservedMicro: number;
  @WhenField() readonly createdAt: string;
}

export class CreditTopUpBody {
  @NumberField({ ...CARD_USD, about: 'In USD, in whole cents.', example: 25 }) readonly usd: number;
}

export class CreditTopUpAnswer {
  @TextField({ max: 2_000, about: 'The page on which the person pays.' }) readonly checkoutUrl: string;
  @TextField({ max: 60 }) readonly topUpId: string;
}

export class UsageLine {
  @TextField({ max: 10, about: 'A day of UTC.', example: '2026-01-31' }) readonly day: string;
  @SchemaField({}, TEXT_OR_NULL) readonly modelId: string | null;
  @SchemaField({ about: 'Null for calls of a signed-in person.' }, TEXT_OR_NULL)
  readonly keyId: string | null;
  @AmountField({ min: 1, about: 'Calls that were charged.' })
  readonly calls: number;
  @AmountField() readonly spentMicro: number;
  @AmountField({ about: 'The tokens of calls that are priced by usage.' })
  readonly inputTokens: number;
  @AmountField() readonly outputTokens: number;
}

export class UsageAnswer {
  @TextField({ max: 10 }) readonly from: string;
  @TextField({ max: 10 }) readonly to: string;
  @AmountField({ about: 'The sum of all lines.' }) readonly spentMicro: number;
  @ListField(() => UsageLine, { about: 'By day, model and key; the newest day first.' })
  readonly usage: readonly UsageLine[];
}

export class TransactionKindQuery {
  @ChoiceField(ENTRY_KINDS, { optional: true }) readonly kind?: EntryKind;
}

export class TransactionsQuery extends PageQuery {
  @ChoiceField(ENTRY_KINDS, { optional: true }) readonly kind?: EntryKind;
}

const DAY = { type: 'string', format: 'date' } as const;

export class UsageQuery {
  @SchemaField({ optional: true, about: 'Default: 29 days before `to`.' }, DAY) readonly from?: string;
  @SchemaField({ optional: true, about: 'Default: today, in UTC.' }, DAY) readonly to?: string;
}
