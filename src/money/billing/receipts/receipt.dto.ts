import { InclusionProofAnswer } from '../transparency/transparency.dto';
import { CHARGE_STATES } from '../charges/charge.entity';
import { railNames } from '../rails/rail-order';
import {
  AmountField,
  ChoiceField,
  ObjectField,
  TextField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';

export class ReceiptAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(CHARGE_STATES) readonly state: string;
  @ChoiceField(railNames()) readonly rail: string;
  @TextField({ max: 60, about: 'The wallet, or the account.' }) readonly payer: string;
  @TextField({ max: 100, optional: true }) readonly modelId?: string;
  @AmountField({ about: 'The price of the call, in micro-USD.' }) readonly priceMicro: number;
  @AmountField() readonly listPriceMicro: number;
  @WholeField({ min: 0, max: 100 }) readonly discountPercent: number;
  @TextField({ max: 60, optional: true }) readonly jobId?: string;
  @TextField({ max: 64, optional: true, about: 'The tag that the caller set.' }) readonly tag?: string;
  @TextField({ max: 40, optional: true, about: 'The network on which it was paid, by x402 or a channel.' })
  readonly network?: string;
  @TextField({ max: 80, optional: true, about: 'The transaction that paid it, on the x402 rail.' })
  readonly transaction?: string;
  @WhenField() readonly createdAt: string;
  @WhenField({ optional: true }) readonly settledAt?: string;
  @WhenField({ optional: true }) readonly refundedAt?: string;
  @ObjectField(() => InclusionProofAnswer, {
    optional: true,
    about:
      'The proof that the transparency log contains the end of the charge, available about ten seconds after that ' +
      'end. The proof shows the balance, so for the charge of an account only its owner sees it.',
  })
  readonly proof?: InclusionProofAnswer;
  @TextField({
    max: 1_000,
    about:
      'A detached JWS (EdDSA) over this receipt without the field jws, keys sorted, no spaces. The key is at ' +
      '/.well-known/jwks.json.',
  })
  readonly jws: string;
}

/** The public part of a charge whose id is in published files, for anybody but its owner. */
export class ChargeStateAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(CHARGE_STATES) readonly state: string;
}
