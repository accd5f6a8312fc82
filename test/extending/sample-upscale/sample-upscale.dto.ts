import { PaidBody } from '#money/billing/calls/paid-body';
import type { MediaAsk } from '#work/generation/media-request';
import { ChoiceField, SchemaField } from '#platform/http/routes/fields';

/** The model of the catalog, and the tier of its prices for each scale. */
const MODEL = 'upscaler';
const TIERS = { '2x': '2K', '4x': '4K' } as const;

export class SampleUpscaleBody extends PaidBody {
  @SchemaField(
    { about: 'The picture: a public address, a data:image URI, or the id of one of your references.' },
    { type: 'string', minLength: 1 },
  )
  readonly image: string;
  @ChoiceField(Object.keys(TIERS), { optional: true, about: 'Default 2x.' })
  readonly scale?: keyof typeof TIERS;
}

/** The call in the terms of the catalog. */
export const askOf = ({ image, scale = '2x' }: Partial<SampleUpscaleBody>): MediaAsk => ({
  modelId: MODEL,
  image,
  resolution: TIERS[scale],
});
