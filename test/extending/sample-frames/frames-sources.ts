import { Injectable } from '@nestjs/common';
import sharp from 'sharp';

import { defineError } from '#kernel/app-error';
import { INVALID_REQUEST } from '#kernel/common-codes';
import type { PreparedCall } from '#money/billing/calls/preparer';
import { NumberField } from '#platform/http/routes/fields';
import type { PreparedMedia } from '#work/generation/source-media';
import { SampleUpscaleSources } from '../sample-upscale/sample-upscale-sources';
import { SampleUpscaleBody } from '../sample-upscale/sample-upscale.dto';

export class FramesBody extends SampleUpscaleBody {
  @NumberField({ min: 1, max: 16, optional: true, about: 'The most megapixels of the picture. Default 1.' })
  readonly megapixels?: number;
}

const TooManyPixels = defineError(INVALID_REQUEST, (needed: number) => ({
  message: `The picture has up to ${needed} megapixels. Declare them, because the price depends on them.`,
  param: 'megapixels',
  remedies: [{ param: 'megapixels', value: needed }],
}));

@Injectable()
export class FramesSources extends SampleUpscaleSources {
  override async prepare(call: PreparedCall<FramesBody>, local: boolean): Promise<PreparedMedia> {
    const prepared = await super.prepare(call, local);
    try {
      // A dry run takes in only pictures that are in the body.
      const picture = prepared.media?.image;
      if (picture === undefined) return prepared;
      const { width, height } = await sharp(await picture.read()).metadata();
      const needed = Math.ceil((width * height) / 1_000_000);
      if (needed > (call.body.megapixels ?? 1)) throw new TooManyPixels(needed);
      return prepared;
    } catch (error) {
      await this.discard(prepared);
      throw error;
    }
  }
}
