import { NextCursorField } from '#platform/http/routes/page-query';
import {
  AmountField,
  ChoiceField,
  ListField,
  ObjectField,
  TextField,
  WhenField,
} from '#platform/http/routes/fields';

export class BillingAddressBody {
  @TextField({
    min: 1,
    max: 200,
    pattern: '\\S',
    about: 'A person or a company.',
    example: 'Acme Robots Ltd',
  })
  readonly name: string;
  @TextField({
    min: 1,
    max: 500,
    pattern: '\\S',
    about: 'Street, postcode and city, with line breaks.',
    example: '1 Lamp Street\nLondon N1',
  })
  readonly lines: string;
  @TextField({ max: 2, pattern: '^[A-Z]{2}$', about: 'Two letters of ISO 3166.', example: 'GB' })
  readonly country: string;
  @TextField({ min: 1, max: 50, optional: true, about: 'A VAT number, say.', example: 'GB123456789' })
  readonly taxId?: string;
}

export class BillingAddressAnswer {
  @ObjectField(() => BillingAddressBody, { optional: true, about: 'Absent until it is set.' })
  readonly address?: BillingAddressBody;
}

class SellerAnswer {
  @TextField({ max: 200 }) readonly name: string;
  @TextField({ max: 500, optional: true, about: 'With line breaks.' }) readonly address?: string;
  @TextField({ max: 50, optional: true }) readonly taxId?: string;
}

export class InvoiceAnswer {
  @AmountField({ min: 1, about: 'Runs over all invoices of the service without a gap.' })
  readonly number: number;
  @WhenField() readonly issuedAt: string;
  @ObjectField(() => SellerAnswer, { optional: true, about: 'Absent if the operator had set no name.' })
  readonly seller?: SellerAnswer;
  @ObjectField(() => BillingAddressBody, {
    optional: true,
    about: 'The billing address at the payment, if there was one.',
  })
  readonly buyer?: BillingAddressBody;
}

const STATES = ['pending', 'paid', 'refused', 'refunded', 'partly_refunded'] as const;

export class BilledTopUpAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(STATES) readonly state: (typeof STATES)[number];
  @AmountField({ about: 'In micro-USD.' }) readonly amountMicro: number;
  @AmountField({ about: 'The amount that the processor has returned to the card.' })
  readonly refundedMicro: number;
  @ChoiceField(['sandbox', 'stripe'], { about: 'In the sandbox nobody pays.' }) readonly processor: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true, about: 'When it was paid or refused.' }) readonly decidedAt?: string;
  @ObjectField(() => InvoiceAnswer, {
    optional: true,
    about:
      'Made when it is paid, and never changed. Absent for other top-ups, and for those before this version.',
  })
  readonly invoice?: InvoiceAnswer;
}

export class BilledTopUpsAnswer {
  @ListField(() => BilledTopUpAnswer, { about: 'Newest first.' })
  readonly topUps: readonly BilledTopUpAnswer[];
  @NextCursorField() readonly nextCursor: string | null;
}
