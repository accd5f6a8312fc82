import type { ProviderV4 } from '@ai-sdk/provider';

import { imageModel } from './ai/image-model.ts';
import { languageModel } from './ai/language-model.ts';
import { Lamppost, type LamppostOptions } from './lamppost.ts';

/** The models of a service for the Vercel AI SDK. A call of the provider itself returns a language model. */
export interface LamppostProvider extends ProviderV4 {
  (modelId: string): ReturnType<ProviderV4['languageModel']>;
}

/**
 * A provider for the Vercel AI SDK. The client itself retries calls, so errors never make the SDK retry: its own
 * retries would be charged again. `providerMetadata.lamppost` has the cost of a call.
 *
 * @example
 * const provider = createLamppost({ baseUrl, key });
 * const { text } = await generateText({ model: provider('lumen-flash'), prompt: 'Why are lampposts green?' });
 */
export const createLamppost = (options: LamppostOptions | Lamppost): LamppostProvider => {
  const client = options instanceof Lamppost ? options : new Lamppost(options);
  const text = (modelId: string): ReturnType<ProviderV4['languageModel']> => languageModel(client, modelId);
  return Object.assign(text, {
    specificationVersion: 'v4' as const,
    languageModel: text,
    imageModel: (modelId: string) => imageModel(client, modelId),
    embeddingModel: (modelId: string): never => {
      throw new TypeError(`Lamppost sells no embeddings, so there is no ${modelId}.`);
    },
  });
};
