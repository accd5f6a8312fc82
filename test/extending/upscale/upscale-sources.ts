import { Injectable } from '@nestjs/common';

import type { MediaAsk } from '../../../src/generation/media-request';
import { SourceMedia } from '../../../src/generation/source-media';
import { askOf, type UpscaleBody } from './upscale.dto';

/** Takes in the picture, and asks the content policy. */
@Injectable()
export class UpscaleSources extends SourceMedia<UpscaleBody> {
  protected askOf(body: UpscaleBody): MediaAsk {
    return askOf(body);
  }
}
