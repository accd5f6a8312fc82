import type { ImageModelV4, ImageModelV4File, SharedV4Warning } from '@ai-sdk/provider';

import type { Lamppost } from '../lamppost.ts';
import type { Source } from '../medium.ts';
import { forSdk } from './call-errors.ts';
import { costOf, lamppostOptions } from './lamppost-options.ts';

const sourceOf = (file: ImageModelV4File): Source => {
  if (file.type === 'url') return file.url;
  if (typeof file.data === 'string') return `data:${file.mediaType};base64,${file.data}`;
  return new Blob([new Uint8Array(file.data)], { type: file.mediaType });
};

export const imageModel = (client: Lamppost, modelId: string): ImageModelV4 => ({
  specificationVersion: 'v4',
  provider: 'lamppost',
  modelId,
  maxImagesPerCall: 1,
  supportsFileInputs: true,
  supportsMaskInputs: false,
  async doGenerate({ prompt = '', size, aspectRatio, seed, files = [], mask, providerOptions, abortSignal }) {
    if (files.length > 2) throw new TypeError('A picture is made from two others at most.');
    const warnings: SharedV4Warning[] = [];
    if (seed !== undefined) warnings.push({ type: 'unsupported', feature: 'seed' });
    if (mask !== undefined) warnings.push({ type: 'unsupported', feature: 'mask' });
    const [image, image2] = files.map(sourceOf);
    const call = {
      model: modelId,
      imageSize: size,
      aspectRatio,
      image,
      image2,
      signal: abortSignal,
      ...lamppostOptions(providerOptions),
    };
    const made = await forSdk(call, () => client.image(prompt, call));
    return {
      images: [await made.bytes()],
      warnings,
      // The SDK passes on only metadata in this form, with one entry for each image.
      providerMetadata: { lamppost: { images: [{ url: made.url, ...costOf(made.charge) }] } },
      response: { timestamp: new Date(), modelId, headers: undefined },
    };
  },
});
