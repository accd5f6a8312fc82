import { PaidBody } from '#money/billing/calls/paid-body';
import { CALL_WEBHOOK_ABOUT, WebhookUrlField } from '#notices/webhooks/webhook-url';
import {
  AmountField,
  ChoiceField,
  FlagField,
  SchemaField,
  TextField,
  WholeField,
} from '#platform/http/routes/fields';
import { VIDEO_SIZES } from './sizes';
import { NegativePromptField, PromptField, SeedField } from './optional-input-fields';

export class VideosBody extends PaidBody {
  @PromptField() readonly prompt: string;
  @TextField({
    min: 1,
    max: 100,
    optional: true,
    about: 'A video model (mode t2v); without it the default one.',
  })
  readonly model?: string;
  @ChoiceField(Object.keys(VIDEO_SIZES), { optional: true }) readonly size?: string;
  @SchemaField(
    { optional: true, about: "Seconds; the model's smallest step at or above is taken.", example: '8' },
    { type: 'string', pattern: '^[0-9]{1,4}$' },
  )
  readonly seconds?: string;
  @TextField({ max: 40, optional: true }) readonly resolution?: string;
  @TextField({ max: 40, optional: true }) readonly aspectRatio?: string;
  @FlagField({ optional: true }) readonly audio?: boolean;
  @SeedField() readonly seed?: number;
  @NegativePromptField() readonly negativePrompt?: string;
  @WebhookUrlField(CALL_WEBHOOK_ABOUT, { optional: true }) readonly webhookUrl?: string;
}

export class VideoError {
  @TextField({ max: 100 }) readonly code: string;
  @TextField({ max: 500 }) readonly message: string;
}

export class VideoAnswer {
  @TextField({ max: 60 }) readonly id: string;
  @ChoiceField(['video']) readonly object: string;
  @ChoiceField(['queued', 'in_progress', 'completed', 'failed']) readonly status: string;
  @TextField({ max: 100 }) readonly model: string;
  @TextField({ max: 40 }) readonly size: string;
  @TextField({ max: 10 }) readonly seconds: string;
  @AmountField({ about: 'Seconds since 1970.' }) readonly created_at: number;
  @WholeField({ min: 0, max: 100, about: 'Percent.' }) readonly progress: number;
  @AmountField({ optional: true }) readonly completed_at?: number;
  @AmountField({ optional: true, about: 'The time at which the video is deleted.' })
  readonly expires_at?: number;
  @SchemaField(
    { optional: true },
    {
      type: 'object',
      required: ['code', 'message'],
      properties: { code: { type: 'string' }, message: { type: 'string' } },
    },
  )
  readonly error?: VideoError;
}
