import { Injectable } from '@nestjs/common';

import type { MediaAsk } from '#work/generation/media-request';
import { SourceMedia } from '#work/generation/source-media';
import { askOf, type SampleUpscaleBody } from './sample-upscale.dto';

/** Takes in the picture, and asks the content policy. */
@Injectable()
export class SampleUpscaleSources extends SourceMedia<SampleUpscaleBody> {
  protected askOf(body: SampleUpscaleBody): MediaAsk {
    return askOf(body);
  }
}
