import { ifPresent } from '#kernel/present';
import { fieldsOf, textOf } from '../http/json-fields';
import type { ProviderHttpOptions } from '../http/provider-http';
import { countIn, rowsIn, textsIn } from '../models/listed-model';
import { NOT_TEXT, isOtherWork } from '../models/sellable-models';
import type { ModelList } from '../models/model-list';

const isText = (id: string): boolean =>
  id.startsWith('gemini-') && !isOtherWork(id) && !/native|robotics|computer/.test(id);

const next = (path: string) => (page: unknown) =>
  ifPresent(textOf(fieldsOf(page)['nextPageToken']), (token) =>
    token === '' ? undefined : `${path}&pageToken=${encodeURIComponent(token)}`,
  );

const GEMINI = 'models?pageSize=1000';

export const geminiModels = (options: ProviderHttpOptions): ModelList => ({
  ...options,
  paths: [GEMINI],
  read: (page) =>
    rowsIn(fieldsOf(page)['models'])?.map((entry) =>
      ifPresent(textOf(entry['name'])?.replace(/^models\//, ''), (id) => ({
        id,
        name: textOf(entry['displayName']),
        contextTokens: countIn(entry['inputTokenLimit']),
        maxOutputTokens: countIn(entry['outputTokenLimit']),
        vision: true,
        tools: isText(id) || undefined,
        reasoning: entry['thinking'] === true || !/^gemini-[12]\.[0-4]/.test(id),
        why:
          isText(id) && textsIn(entry['supportedGenerationMethods']).includes('generateContent')
            ? undefined
            : NOT_TEXT,
      })),
    ),
  next: next(GEMINI),
});

const VERTEX = 'publishers/google/models?pageSize=100';

/** The list of the models that Google publishes at Vertex AI. Only its beta version has a list. */
export const vertexModels = ({ baseUrl, ...options }: ProviderHttpOptions): ModelList => ({
  ...options,
  baseUrl: baseUrl.replace(/\/v1\/?$/, '/v1beta1'),
  paths: [VERTEX],
  read: (page) =>
    rowsIn(fieldsOf(page)['publisherModels'])?.map((entry) =>
      ifPresent(textOf(entry['name'])?.replace(/^.*\//, ''), (id) => ({
        id,
        maxOutputTokens: /^gemini-[12]\.[0-4]/.test(id) ? 8_192 : 65_535,
        vision: true,
        tools: isText(id) || undefined,
        reasoning: !/^gemini-[12]\.[0-4]/.test(id),
        why: isText(id) ? undefined : NOT_TEXT,
      })),
    ),
  next: next(VERTEX),
});
