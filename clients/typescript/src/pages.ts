interface KeysPage<Key> {
  readonly keys: readonly Key[];
  /** Null on the last page. An older service does not send this field. */
  readonly nextCursor?: string | null;
}

/** All keys of a list, page by page, including ended ones. */
export const eachPage = async <Key>(read: (query: string) => Promise<KeysPage<Key>>): Promise<Key[]> => {
  const all: Key[] = [];
  let cursor: string | null | undefined;
  do {
    const at: string = typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : '';
    const page = await read(`?limit=200${at}`);
    all.push(...page.keys);
    cursor = page.nextCursor;
  } while (typeof cursor === 'string');
  return all;
};
