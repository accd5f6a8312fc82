import { PaidBody } from '#money/billing/calls/paid-body';
import { CALL_WEBHOOK_ABOUT, WebhookUrlField } from '#notices/webhooks/webhook-url';
import { AmountField, ChoiceField, ListField, TextField } from '#platform/http/routes/fields';
import { IMAGE_SIZES } from './sizes';
import { CountField, NegativePromptField, PromptField, SeedField } from './optional-input-fields';

export class ImagesBody extends PaidBody {
  @PromptField() readonly prompt: string;
  @TextField({ min: 1, max: 100, optional: true, about: 'An image model; without it the default one.' })
  readonly model?: string;
  @ChoiceField([...Object.keys(IMAGE_SIZES), 'auto'], {
    optional: true,
    about: '`auto` is the default of the model.',
  })
  readonly size?: string;
  @CountField() readonly n?: number;
  @ChoiceField(['url', 'b64_json'], { optional: true, about: 'Default url.' })
  readonly response_format?: string;
  @TextField({ max: 40, optional: true }) readonly aspectRatio?: string;
  @TextField({ max: 40, optional: true }) readonly resolution?: string;
  @TextField({ max: 40, optional: true }) readonly imageSize?: string;
  @TextField({
    max: 40,
    optional: true,
    about: 'One of the `qualities` of the model. Models without qualities ignore it.',
  })
  readonly quality?: string;
  @SeedField() readonly seed?: number;
  @NegativePromptField() readonly negativePrompt?: string;
  @WebhookUrlField(CALL_WEBHOOK_ABOUT, { optional: true }) readonly webhookUrl?: string;
}

export class ImageDatum {
  @TextField({ max: 500, optional: true }) readonly url?: string;
  @TextField({ max: 100_000_000, optional: true }) readonly b64_json?: string;
}

export class ImagesAnswer {
  @AmountField({ about: 'Seconds since 1970.' })
  readonly created: number;
  @ListField(() => ImageDatum) readonly data: readonly ImageDatum[];
}
