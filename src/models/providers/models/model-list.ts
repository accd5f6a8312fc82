import { isDeepStrictEqual } from 'node:util';

import { withoutAbsent } from '#kernel/present';
import { SECRET_CHARS_MIN } from '#platform/telemetry/scrub';
import { refusalIn } from '../http/answer-status';
import { ProviderFault } from '../http/provider-fault';
import { ProviderHttp, type ProviderHttpOptions } from '../http/provider-http';
import type { ListedModel } from './listed-model';
import { isSellableName, ODD_NAME } from './sellable-models';

/** Large enough for OpenRouter's list of hundreds of models with their descriptions. */
export const LIST_BYTES_MAX = 16 * 1024 * 1024;
const PAGES_MAX = 50;
const MODELS_MAX = 20_000;
/** The longest shown part of a name that is not sold. */
const ESCAPED_MAX = 100;

/** The longest shown part of a vendor's message. */
const MESSAGE_CHARS_MAX = 200;

/** Where a vendor lists its models, and how to read a page of the list. */
export interface ModelList extends ProviderHttpOptions {
  /** The lists, which are read one after the other. */
  readonly paths: readonly string[];
  /** Undefined if the answer is no list. An entry without a name is left out. */
  read(page: unknown, path: string): readonly (ListedModel | undefined)[] | undefined;
  /** The path of the next page. */
  next?(page: unknown, path: string): string | undefined;
}

/** Whether Postgres can store the model: without the character 0 and without broken Unicode. */
const isStorable = (model: ListedModel): boolean => !/\\u(?:0000|d[89a-f])/.test(textOfModel(model));

/** As JSON. A price is a bigint, which is never text. */
const textOfModel = ({ prices: _, ...model }: ListedModel): string => JSON.stringify(model);

/** A name that operators can read safely: without controls, marks of direction and letters that look like others. */
const escaped = (id: string): string =>
  id
    .slice(0, ESCAPED_MAX)
    .replaceAll(/[^\x20-\x7e]/gu, (char) => `\\u{${char.codePointAt(0)?.toString(16) ?? ''}}`)
    .slice(0, ESCAPED_MAX);

/** An entry that occurs twice counts once, unless nobody can know its price. */
const merged = (known: ListedModel | undefined, model: ListedModel): ListedModel => {
  if (known === undefined || known.why !== undefined) return known ?? model;
  return isDeepStrictEqual(known.prices, model.prices)
    ? known
    : { ...known, why: 'its vendor lists it twice, with different prices' };
};

/**
 * The vendor's own message in an answer that is no list, for operators. No caller's words are in it, because a request
 * for a list has none. The message may quote our key, so the values of our headers are left out.
 */
const messageIn = (page: unknown, headers: Readonly<Record<string, string>>): string => {
  const secrets = Object.values(headers).map((value) => value.replace(/^Bearer /, ''));
  const message = secrets
    .filter((secret) => secret.length >= SECRET_CHARS_MIN)
    .reduce((text, secret) => text.replaceAll(secret, '…'), refusalIn(200, page).message);
  const printable = message.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ').trim();
  return printable === '' ? '' : `: ${[...printable].slice(0, MESSAGE_CHARS_MAX).join('')}`;
};

/** All models that a vendor lists, each once. Throws `ProviderFault` if any part of the list can't be read. */
export const listedModels = async (list: ModelList, signal: AbortSignal): Promise<readonly ListedModel[]> => {
  const http = new ProviderHttp(list);
  const found = new Map<string, ListedModel>();
  try {
    const paths = [...list.paths];
    for (let pages = 0; paths.length > 0; pages += 1) {
      const path = paths.shift() ?? '';
      const page = await http.json({
        method: 'GET',
        path,
        signal,
        bytesMax: LIST_BYTES_MAX,
        isLoggedByCaller: true,
      });
      const models = list.read(page, path);
      if (models === undefined)
        throw new ProviderFault(
          'unknown',
          `its list of models cannot be read${messageIn(page, list.headers())}`,
        );
      for (const listed of models) {
        if (listed === undefined || listed.id === '') continue;
        const model = isSellableName(listed.id) ? listed : { id: escaped(listed.id), why: ODD_NAME };
        if (isStorable(model)) found.set(model.id, merged(found.get(model.id), withoutAbsent(model)));
      }
      const next = list.next?.(page, path);
      if (next !== undefined) paths.unshift(next);
      if (pages >= PAGES_MAX || found.size > MODELS_MAX)
        throw new ProviderFault('unknown', 'its list of models has no end');
    }
    if (found.size === 0) throw new ProviderFault('unknown', 'its list of models is empty');
    return [...found.values()];
  } finally {
    await http.close();
  }
};
