import type { FakeFal } from '../support/fake-fal';
import type { Goods } from './paying-client';

/** The only models of a service whose films are made by fal. */
export const FILM_CATALOG = {
  media: [
    {
      id: 'film',
      name: 'Film',
      mode: 't2v',
      audio: true,
      aspectRatios: ['16:9'],
      resolutions: ['720p'],
      imageSizes: [],
      durations: [4],
      pricing: { unit: 'second', usd: { default: '0.01' } },
      routes: [{ provider: 'fal', model: 'fal-ai/veo3/fast' }],
    },
  ],
  text: [
    {
      id: 'words',
      name: 'Words',
      inputUsdPerMtok: '0.10',
      outputUsdPerMtok: '0.40',
      routes: [{ provider: 'openai', model: 'gpt-4.1-nano' }],
    },
  ],
};

export const filmEnv = (fal: FakeFal): Readonly<Record<string, string>> => ({
  ...fal.env,
  OPENAI_API_KEY: 'never-asked',
  LIVE_COSTS: 'false',
  ALLOW_SANDBOX_MIX: 'true',
  FETCH_ALLOW_HOSTS: fal.host,
});

export const FILM: Goods = {
  url: '/v1/agent/generate',
  body: { modelId: 'film', prompt: 'a quiet street' },
  price: 61_539n,
};
