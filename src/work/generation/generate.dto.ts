import { ApiExtraModels } from '@nestjs/swagger';

import { PaidBody } from '#money/billing/calls/paid-body';
import { SOURCES_MAX } from '#models/catalog/catalog-entries';
import { UsedReferenceAnswer } from '#work/jobs/jobs.dto';
import { CALL_WEBHOOK_ABOUT, WebhookUrlField } from '#notices/webhooks/webhook-url';
import {
  ChoiceField,
  FlagField,
  ListField,
  NumberField,
  SchemaField,
  TextField,
} from '#platform/http/routes/fields';
import { CountField, NegativePromptField, PromptField, SeedField } from './optional-input-fields';

/** Only the limit of the body limits a source, because counting the characters of 40 MB would delay other requests. */
const Source = (about: string): PropertyDecorator =>
  SchemaField({ optional: true, about }, { type: 'string', minLength: 1 });

export class GenerateBody extends PaidBody {
  @PromptField() readonly prompt: string;
  @TextField({
    min: 1,
    max: 100,
    optional: true,
    about:
      'A media model. Without it the mode follows the media given, and the default of that mode is used.',
  })
  readonly modelId?: string;
  @Source(
    'Source image: a public http(s) address or a data:image URI, at most 8 MB, or the id of one of your references.',
  )
  readonly image?: string;
  @Source('Face or subject for swap models; the same rules as `image`.') readonly image2?: string;
  @Source(
    'Source clip for motion models: an https address or a data:video URI, at most 40 MB, or the id of a reference.',
  )
  readonly video?: string;
  @SchemaField(
    {
      optional: true,
      about:
        'Further source images beside `image`, by the same rules, for models with the capability `sources`.',
    },
    { type: 'array', maxItems: SOURCES_MAX, items: { type: 'string', minLength: 1 } },
  )
  readonly sources?: readonly string[];
  @Source('White where `image` is repainted, black where it stays: an image, by the rules of `image`.')
  readonly mask?: string;
  @Source('The last picture of the film that begins with `image`; the rules of `image`.')
  readonly lastFrame?: string;
  @Source('The clip that the film continues; the rules of `video`. `duration` is the length of the new part.')
  readonly extend?: string;
  @SeedField() readonly seed?: number;
  @NegativePromptField() readonly negativePrompt?: string;
  @CountField() readonly n?: number;
  @FlagField({
    optional: true,
    about: 'Attach the best matches of the reference library to empty media inputs.',
  })
  readonly useReferences?: boolean;
  @SchemaField(
    { optional: true, about: 'Pin exact references to empty media inputs, in order.' },
    { type: 'array', maxItems: 4, items: { type: 'string', maxLength: 60 } },
  )
  readonly referenceIds?: readonly string[];
  @TextField({ max: 40, optional: true }) readonly imageSize?: string;
  @TextField({
    max: 40,
    optional: true,
    about: 'The quality of the picture: one of the `qualities` of the model.',
  })
  readonly quality?: string;
  @TextField({
    max: 40,
    optional: true,
    about: 'Without it, the first of the model. Work from a picture keeps its shape, if the vendor can.',
  })
  readonly aspectRatio?: string;
  @NumberField({
    above: 0,
    max: 3_600,
    optional: true,
    about: 'Video seconds; the steps are those of the model.',
  })
  readonly duration?: number;
  @TextField({ max: 40, optional: true }) readonly resolution?: string;
  @FlagField({ optional: true, about: 'Sound, for models that make it. Default on.' })
  readonly audio?: boolean;
  @WebhookUrlField(CALL_WEBHOOK_ABOUT, { optional: true }) readonly webhookUrl?: string;
}

const UsedReferences = (): PropertyDecorator =>
  ListField(() => UsedReferenceAnswer, {
    optional: true,
    about: 'The references that the job uses, if the call asked for references.',
  });

export class MediaDoneAnswer {
  @ChoiceField(['done']) readonly status: 'done';
  @TextField({ max: 500, about: 'The address of the medium.' }) readonly url: string;
  @SchemaField(
    { optional: true, about: 'The addresses of all results of a call with `n`; the first is `url`.' },
    { type: 'array', items: { type: 'string' } },
  )
  readonly urls?: readonly string[];
  @UsedReferences() readonly references?: readonly UsedReferenceAnswer[];
}

@ApiExtraModels(MediaDoneAnswer)
export class MediaRunningAnswer {
  @ChoiceField(['running']) readonly status: 'running';
  @TextField({ max: 60 }) readonly jobId: string;
  @TextField({ max: 200, about: 'The path to poll, free of charge.' }) readonly poll: string;
  @UsedReferences() readonly references?: readonly UsedReferenceAnswer[];
}

export type GenerateAnswer = MediaDoneAnswer | MediaRunningAnswer;
