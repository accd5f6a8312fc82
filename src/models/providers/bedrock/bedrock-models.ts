import type { Fields } from '#kernel/json';
import { ifPresent } from '#kernel/present';
import { fieldsOf, textOf } from '../http/json-fields';
import type { ProviderHttpOptions } from '../http/provider-http';
import { dayIn, rowsIn, textsIn } from '../models/listed-model';
import { NOT_TEXT } from '../models/sellable-models';
import type { ModelList } from '../models/model-list';
import { withoutRegionAndMaker } from './regional-names';

const MODELS = 'foundation-models';
const PROFILES = 'inference-profiles?maxResults=1000';

/** The maker's name in `us.anthropic.claude-opus-4-5-20251101-v1:0`. */
const makersIdOf = (id: string): string => withoutRegionAndMaker(id).replace(/-(?:v?\d+:\d+|v\d+)$/, '');

const vision = (id: string): boolean => /claude|nova-(lite|pro|premier)|llama(3-2|4)|pixtral/.test(id);

const modelIn = (entry: Fields) => {
  const ways = textsIn(entry['inferenceTypesSupported']);
  const life = fieldsOf(entry['modelLifecycle']);
  return ifPresent(textOf(entry['modelId']), (id) => ({
    id,
    makersId: makersIdOf(id),
    name: textOf(entry['modelName']),
    vision: textsIn(entry['inputModalities']).includes('IMAGE'),
    retiresOn: dayIn(life['endOfLifeTime'] ?? undefined),
    why: !textsIn(entry['outputModalities']).includes('TEXT')
      ? NOT_TEXT
      : ways.includes('ON_DEMAND')
        ? undefined
        : 'it has only inference profiles or provisioned throughput',
  }));
};

const profileIn = (entry: Fields) =>
  ifPresent(textOf(entry['inferenceProfileId']), (id) => ({
    id,
    makersId: makersIdOf(id),
    name: textOf(entry['inferenceProfileName']),
    vision: vision(id),
    why: entry['status'] === 'ACTIVE' ? undefined : 'its inference profile is not active',
  }));

/** The models and the inference profiles of a region. Newer models have only profiles. */
export const bedrockModels = (options: ProviderHttpOptions): ModelList => ({
  ...options,
  paths: [MODELS, PROFILES],
  read: (page, path) =>
    path === MODELS
      ? rowsIn(fieldsOf(page)['modelSummaries'])?.map(modelIn)
      : rowsIn(fieldsOf(page)['inferenceProfileSummaries'])?.map(profileIn),
  next: (page, path) =>
    path === MODELS
      ? undefined
      : ifPresent(
          textOf(fieldsOf(page)['nextToken']),
          (token) => `${PROFILES}&nextToken=${encodeURIComponent(token)}`,
        ),
});
