/** All texts and field names in a JSON value, because a model reads and writes the field names of a schema as well. */
export const wordsIn = (value: unknown): readonly string[] => {
  const texts: string[] = [];
  const names: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') texts.push(next);
    if (typeof next !== 'object' || next === null) continue;
    for (const [name, each] of Object.entries(next)) {
      if (!Array.isArray(next) && !KNOWN.has(name)) names.push(name);
      open.push(each);
    }
  }
  return [...texts.reverse(), ...names];
};

/** Field names of the common shape, which carry no content. */
const KNOWN: ReadonlySet<string> = new Set([
  'role',
  'content',
  'type',
  'text',
  'image_url',
  'url',
  'detail',
  'tool_calls',
  'tool_call_id',
  'id',
  'function',
  'name',
  'arguments',
  'description',
  'parameters',
  'properties',
  'required',
  'items',
  'reasoning_content',
]);
