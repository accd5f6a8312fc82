import { Injectable } from '@nestjs/common';

import type { GenerateBody } from './generate.dto';
import type { MediaAsk } from './media-request';
import { SourceMedia } from './source-media';

@Injectable()
export class GenerateSources extends SourceMedia<GenerateBody> {
  protected askOf(body: GenerateBody): MediaAsk {
    return body;
  }
}
