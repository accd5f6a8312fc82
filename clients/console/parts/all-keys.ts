import { type Schemas, call } from './api.ts';

type KeyLine = Schemas['KeyAnswer'];

/** The most pages to load. A page has 200 keys, so later pages probably contain only keys that ended long ago. */
const PAGES_MAX = 5;

/** The keys of the account, newest first, including ended ones. */
export const allKeys = async (signal?: AbortSignal): Promise<{ readonly keys: readonly KeyLine[] }> => {
  const keys: KeyLine[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await call('get', '/v1/account/keys', { query: { limit: 200, cursor }, signal });
    keys.push(...page.keys);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  return { keys };
};
