import { CHAT_TOKENS_MAX } from '../../catalog/chat-pricing';
import {
  FlagField,
  ListField,
  NumberField,
  TextField,
  WalletField,
  WhenField,
  WholeField,
} from '../../platform/http/routes/fields';

export class QuoteMessage {
  @TextField({ max: 20, optional: true }) readonly role?: string;
  @TextField({ max: 48_000, about: 'Its characters are counted, and nothing else.' })
  readonly content: string;
}

export class QuoteBody {
  @TextField({ min: 1, max: 100, about: 'A media or text model.', example: 'ember-image' })
  readonly modelId: string;
  @TextField({ max: 100, optional: true, about: 'The same as modelId, for clients that send both.' })
  readonly model?: string;
  @TextField({ max: 48_000, optional: true, about: 'Counted for text models when there are no messages.' })
  readonly prompt?: string;
  @NumberField({ min: 0, max: 3_600, optional: true, about: 'Video seconds.' }) readonly duration?: number;
  @TextField({ max: 40, optional: true }) readonly resolution?: string;
  @TextField({ max: 40, optional: true }) readonly imageSize?: string;
  @TextField({ max: 40, optional: true }) readonly aspectRatio?: string;
  @FlagField({ optional: true, about: 'Sound, for models that make it. Default on.' })
  readonly audio?: boolean;
  @ListField(() => QuoteMessage, { max: 50, optional: true, about: 'Messages of a chat call.' })
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
  @TextField({ max: 40, about: 'What kind of call it is: a mode of media, or a word of its route.' })
  readonly mode: string;
  @WholeField({ min: 1, max: Number.MAX_SAFE_INTEGER, about: 'What the call costs, in micro-USD.' })
  readonly priceMicro: number;
  @WholeField({ min: 1, max: Number.MAX_SAFE_INTEGER, about: 'The price without a discount.' })
  readonly listPriceMicro: number;
  @WholeField({
    min: 0,
    max: Number.MAX_SAFE_INTEGER,
    optional: true,
    about: 'What the provider is expected to ask; media models only.',
  })
  readonly providerCostMicro?: number;
  @FlagField({ about: 'True when the estimate came from the provider just now, not from the rate card.' })
  readonly live: boolean;
  @TextField({ max: 500, about: 'Send it with the call to pay exactly this.' }) readonly quoteId: string;
  @WhenField({ about: 'Until then the quote holds.' }) readonly expiresAt: string;
}

export class QuoteQuery {
  @TextField({
    max: 200,
    optional: true,
    about: 'The address of a paid route: then the body is that of the call to it, and the price its own.',
  })
  readonly path?: string;
}
