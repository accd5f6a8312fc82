import { ifPresent } from '#kernel/present';
import { fieldsOf, textOf } from '../http/json-fields';
import type { ProviderHttpOptions } from '../http/provider-http';
import { countIn, dayIn, rowsIn } from '../models/listed-model';
import { NOT_TEXT } from '../models/sellable-models';
import type { ModelList } from '../models/model-list';

const PATH = 'models?limit=1000';

/** The limits of answers, for lists without them. */
const LIMITS: readonly (readonly [RegExp, number])[] = [
  [/^claude-(2|3-(opus|sonnet|haiku))/, 4_096],
  [/^claude-3-5/, 8_192],
  [/^claude-opus-4(-[01]\b|-20|$)/, 32_000],
];

export const anthropicModels = (options: ProviderHttpOptions): ModelList => ({
  ...options,
  paths: [PATH],
  read: (page) =>
    rowsIn(fieldsOf(page)['data'])?.map((entry) =>
      ifPresent(textOf(entry['id']), (id) => ({
        id,
        name: textOf(entry['display_name']),
        contextTokens: countIn(entry['max_input_tokens']),
        maxOutputTokens: countIn(entry['max_tokens'], LIMITS.find(([name]) => name.test(id))?.[1], 64_000),
        vision: !/^claude-(2|instant)/.test(id),
        tools: !/^claude-(2|instant)/.test(id),
        reasoning: !/^claude-(2|3-(5|opus|sonnet|haiku)|instant)/.test(id),
        retiresOn: dayIn(entry['shutdown_date'] ?? undefined),
        why: id.startsWith('claude') ? undefined : NOT_TEXT,
      })),
    ),
  next: (page) => {
    const { has_more: more, last_id: last } = fieldsOf(page);
    return more === true && typeof last === 'string'
      ? `${PATH}&after_id=${encodeURIComponent(last)}`
      : undefined;
  },
});
