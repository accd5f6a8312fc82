const TOKEN = /"|[{}[\],:]|[^\s{}[\],:"]+/g;
/** Deeper values have no line of their own. No field of a catalog is so deep. */
const DEPTH_MAX = 20;

interface Holder {
  readonly path: string;
  readonly isList: boolean;
  at: number;
  key: string | undefined;
}

const pathIn = ({ path, isList, at, key = '' }: Holder): string =>
  isList ? `${path}[${at}]` : path === '' ? key : `${path}.${key}`;

/** The place after a string. A regular expression for all of a long string would exhaust its stack. */
const endOfString = (json: string, start: number): number => {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
};

/** The tokens of a valid JSON text, with their places. */
const tokensOf = function* (json: string): Generator<readonly [token: string, index: number]> {
  const pattern = new RegExp(TOKEN);
  for (let found = pattern.exec(json); found !== null; found = pattern.exec(json)) {
    const { index } = found;
    if (found[0] === '"') pattern.lastIndex = endOfString(json, index);
    yield [found[0] === '"' ? json.slice(index, pattern.lastIndex) : found[0], index];
  }
};

/** The line of each value of a JSON text, by its path, such as `text[3].id`. The last of two equal keys counts, as in JSON. */
export const linesOf = (json: string): ReadonlyMap<string, number> => {
  const lines = new Map<string, number>();
  const holders: Holder[] = [];
  let [line, last] = [1, 0];
  for (const [token, index] of tokensOf(json)) {
    line += json.slice(last, index).split('\n').length - 1;
    last = index;
    const holder = holders.at(-1);
    if (token === '}' || token === ']') holders.pop();
    else if (token === ',' && holder !== undefined) {
      holder.at += 1;
      holder.key = undefined;
    } else if (token !== ':') {
      const isKey = holder?.isList === false && holder.key === undefined;
      if (isKey) holder.key = JSON.parse(token) as string;
      const path = holder === undefined ? '' : pathIn(holder);
      const begins = isKey || holder === undefined || holder.isList;
      if (begins && holders.length <= DEPTH_MAX) lines.set(path, line);
      if (token === '{' || token === '[')
        holders.push({ path, isList: token === '[', at: 0, key: undefined });
    }
  }
  return lines;
};

/** A problem with the line of its field, or of the nearest value around it. Its path may have ids in parentheses. */
export const withLine = (problem: string, lines: ReadonlyMap<string, number>): string => {
  const [start = ''] = /^[\w$.[\]-]+(?: \([^)]*\)[\w$.[\]-]*)?/.exec(problem) ?? [];
  for (
    let path = start.replace(/ \([^)]*\)/, '');
    path !== '';
    path = path.replace(/(?:^|\.|\[)[^.[]*$/, '')
  ) {
    const line = lines.get(path);
    if (line !== undefined) return `line ${line}: ${problem}`;
  }
  return `line ${lines.get('') ?? 1}: ${problem}`;
};

/** Whether a text is the beginning of a JSON text: it is whole, or its only mistake is that it ends. */
const isBeginning = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const { message } = error as Error;
    const [, at] = /at position (\d+)/.exec(message) ?? [];
    return message.includes('end of JSON input') || Number(at) === text.length;
  }
};

/** The place of the first mistake. Not every message of V8 names it. */
const mistakeIn = (json: string): number => {
  let [good, bad] = [0, json.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isBeginning(json.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return good;
};

/** Like `JSON.parse`. Its error names the line and the column. */
export const parsedJson = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch (cause) {
    const lines = json.slice(0, mistakeIn(json)).split('\n');
    const why = (cause as Error).message.replace(/ in JSON at position .*/s, '');
    throw new SyntaxError(`line ${lines.length}, column ${lines.at(-1)!.length + 1}: ${why}`, { cause });
  }
};
