import { AmountField, FlagField, NoSlipOf, TextField, WalletField } from '#platform/http/routes/fields';

export const TAG_CHARS_MAX = 64;

/** The caller's own word for the purpose of a call. Only its owner sees it. */
const TagField = (): PropertyDecorator =>
  TextField({
    min: 1,
    max: TAG_CHARS_MAX,
    optional: true,
    about: 'Your own word for the purpose of the call. Its job, its receipt and its events carry it.',
  });

/** The fields of every paid call. */
@NoSlipOf('quoteId', 'maxPriceMicro', 'dryRun')
export class PaidBody {
  @WalletField({
    optional: true,
    about: 'The wallet that will pay: its volume tier applies. It must be the signer.',
  })
  readonly payer?: string;
  @TextField({
    max: 500,
    optional: true,
    about: 'A quote from POST /v1/agent/quote: the call costs exactly that.',
  })
  readonly quoteId?: string;
  @AmountField({
    optional: true,
    about: 'Refuse the call when it would cost more, in micro-USD. Also as the header X-Max-Price-Micro.',
  })
  readonly maxPriceMicro?: number;
  @FlagField({ optional: true, about: 'Check everything and return the price, but run and charge nothing.' })
  readonly dryRun?: boolean;
  @TagField() readonly tag?: string;
}
