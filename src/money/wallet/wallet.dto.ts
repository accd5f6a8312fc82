import { PaidBody } from '#money/billing/calls/paid-body';
import { ENTRY_KINDS } from '#money/billing/ledger/ledger-entry.entity';
import { NextCursorField } from '#platform/http/routes/page-query';
import {
  AmountField,
  ChoiceField,
  ListField,
  TextField,
  WalletField,
  WhenField,
} from '#platform/http/routes/fields';

export class WalletBalanceAnswer {
  @WalletField({ about: 'In checksum form.' }) readonly wallet: string;
  @AmountField({ about: 'Prepaid balance, in micro-USD.' }) readonly balanceMicro: number;
  @AmountField({ about: 'The money that is reserved for keys of the wallet.' })
  readonly reservedMicro: number;
}

export class WalletTransaction {
  @TextField({ max: 80 }) readonly id: string;
  @ChoiceField(ENTRY_KINDS, { about: 'The kind shows the direction, because amounts are positive.' })
  readonly kind: string;
  @AmountField({ min: 1 }) readonly amountMicro: number;
  @AmountField() readonly balanceAfterMicro: number;
  @TextField({ max: 60, optional: true, about: 'Only for the wallet itself, which must sign in to see it.' })
  readonly chargeId?: string;
  @TextField({ max: 100, optional: true, about: 'Only for the wallet itself.' }) readonly modelId?: string;
  @TextField({ max: 80, optional: true, about: 'The transaction on chain.' }) readonly transaction?: string;
  @TextField({ max: 40, optional: true, about: 'Its network.' }) readonly network?: string;
  @WhenField() readonly createdAt: string;
}

export class WalletTransactionsAnswer {
  @WalletField({ about: 'In checksum form.' }) readonly wallet: string;
  @ListField(() => WalletTransaction, { about: 'Newest first.' })
  readonly transactions: readonly WalletTransaction[];
  @NextCursorField() readonly nextCursor: string | null;
}

/** The amount is in the query. The body has only the fields of every paid call. */
export class TopUpBody extends PaidBody {}

export class TopUpAnswer {
  @WalletField({ about: 'The wallet that paid, and that was credited.' }) readonly wallet: string;
  @AmountField({ about: 'The amount that was settled and credited.' }) readonly topUpMicro: number;
  @AmountField({ about: 'The balance after it.' }) readonly balanceMicro: number;
}
