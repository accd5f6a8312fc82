import { CHAT_CHARS_MAX, CHAT_MESSAGES_MAX, CHAT_TOKENS_MAX } from '#models/catalog/chat-limits';
import { RESULTS_MAX } from '#models/providers/optional-inputs';
import {
  AmountField,
  FlagField,
  ListField,
  NumberField,
  SchemaField,
  TextField,
  WalletField,
  WhenField,
  WholeField,
} from '#platform/http/routes/fields';

export class QuoteMessage {
  @TextField({ max: 20, optional: true }) readonly role?: string;
  @TextField({ max: CHAT_CHARS_MAX, about: 'Only the number of its characters is used.' })
  readonly content: string;
}

export class QuoteBody {
  @TextField({ min: 1, max: 100, about: 'A media, text or audio model.', example: 'ember-image' })
  readonly modelId: string;
  @TextField({ max: 100, optional: true, about: 'The same as modelId, for clients that send both.' })
  readonly model?: string;
  @TextField({
    max: CHAT_CHARS_MAX,
    optional: true,
    about: 'Counted for speech models, and for text models when there are no messages.',
  })
  readonly prompt?: string;
  @SchemaField(
    {
      optional: true,
      about: 'The source picture of the call. Only its presence counts: a model may cost more with one.',
    },
    { type: 'string', minLength: 1 },
  )
  readonly image?: string;
  @NumberField({ min: 0, max: 3_600, optional: true, about: 'Seconds of a video, or of a recording.' })
  readonly duration?: number;
  @TextField({ max: 40, optional: true }) readonly resolution?: string;
  @TextField({ max: 40, optional: true }) readonly imageSize?: string;
  @TextField({ max: 40, optional: true }) readonly quality?: string;
  @TextField({ max: 40, optional: true }) readonly aspectRatio?: string;
  @FlagField({ optional: true, about: 'Sound, for models that make it. Default on.' })
  readonly audio?: boolean;
  @WholeField({
    min: 1,
    max: RESULTS_MAX,
    optional: true,
    about: 'How many images, for models that make several.',
  })
  readonly n?: number;
  @ListField(() => QuoteMessage, {
    max: CHAT_MESSAGES_MAX,
    optional: true,
    about: 'Messages of a chat call.',
  })
  readonly messages?: readonly QuoteMessage[];
  @WholeField({
    min: 1,
    max: CHAT_TOKENS_MAX,
    optional: true,
    about: 'Output cap of a chat call. Default 1024.',
  })
  readonly max_tokens?: number;
  @WalletField({
    optional: true,
    about: "Shows this wallet's volume tier; the quote then holds for it alone.",
  })
  readonly payer?: string;
}

export class QuoteAnswer {
  @TextField({ max: 100 }) readonly modelId: string;
  @TextField({ max: 40, about: 'The kind of the call: a mode of media, or a word for its route.' })
  readonly mode: string;
  @AmountField({ min: 1, about: 'The price of the call, in micro-USD.' })
  readonly priceMicro: number;
  @AmountField({ min: 1, about: 'The price without a discount.' })
  readonly listPriceMicro: number;
  @AmountField({ optional: true, about: 'The expected cost at the provider; media models only.' })
  readonly providerCostMicro?: number;
  @FlagField({
    about: 'True if the estimate is a present price of the provider, and false if it is from the rate card.',
  })
  readonly live: boolean;
  @TextField({ max: 500, about: 'Send it with the call to pay exactly this.' }) readonly quoteId: string;
  @WhenField({ about: 'The time at which the quote expires.' }) readonly expiresAt: string;
}

export class QuoteQuery {
  @TextField({
    max: 200,
    optional: true,
    about: 'The address of a paid route: then the body is that of the call to it, and the price its own.',
  })
  readonly path?: string;
}
