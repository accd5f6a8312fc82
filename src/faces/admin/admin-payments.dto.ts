import { NextCursorField, PageQuery } from '#platform/http/routes/page-query';
import { STRAY_STATES, type StrayState } from '#money/credits/stray-payment.entity';
import {
  AmountField,
  ChoiceField,
  ListField,
  NoSlipOf,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';

export class AdminPayment {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(STRAY_STATES) readonly state: string;
  @TextField({ max: 60, about: 'The reason why it bought no credits.' }) readonly outcome: string;
  @TextField({ max: 20 }) readonly processor: string;
  @TextField({ max: 200, about: "The processor's own name for the payment." }) readonly reference: string;
  @TextField({ max: 60, optional: true }) readonly topUpId?: string;
  @TextField({
    max: 60,
    optional: true,
    about: 'The account that ordered the top-up; absent if it is unknown.',
  })
  readonly accountId?: string;
  @AmountField({ optional: true, about: 'The paid amount, in millionths of the currency.' })
  readonly amountMicro?: number;
  @TextField({ max: 10, optional: true }) readonly currency?: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true }) readonly resolvedAt?: string;
}

export class AdminPaymentsAnswer {
  @ListField(() => AdminPayment, { about: 'Newest first.' }) readonly payments: readonly AdminPayment[];
  @NextCursorField() readonly nextCursor: string | null;
}

@NoSlipOf('accountId', 'amountMicro')
export class PaymentCreditBody {
  @TextField({ max: 60, optional: true, about: 'The account to credit, if the payment does not name one.' })
  readonly accountId?: string;
  @WholeField({
    min: 1,
    max: 10_000_000_000,
    optional: true,
    about: 'The amount to credit, in micro-USD. Default: the paid amount, if it was in dollars.',
  })
  readonly amountMicro?: number;
  @TextField({ min: 1, max: 500, about: 'The audit keeps this text.' }) readonly reason: string;
}

export class PaymentCloseBody {
  @TextField({ min: 1, max: 500, about: 'The audit keeps this text.' }) readonly reason: string;
}

export class AdminPaymentsQuery extends PageQuery {
  @ChoiceField(STRAY_STATES, { optional: true }) readonly state?: StrayState;
}
