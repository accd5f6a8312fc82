type Expects = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPED = new Set('"\\/bfnrt');
const SPACES = new Set(' \t\n\r');

/**
 * The position of a JSON fault: the index of the first invalid character. V8 reports a position only for some faults.
 * For others it quotes the text, which may be a secret. This code runs only after parsing failed.
 */
export const faultPosition = (text: string): number => {
  const ends: ('}' | ']')[] = [];
  let expects: Expects = 'value';
  for (let at = 0; ;) {
    while (SPACES.has(text.charAt(at))) at += 1;
    const char = text.charAt(at);
    const end = ends.at(-1);
    if (char === '' || expects === 'nothing') {
      return at;
    }
    if (char === end && expects.endsWith('end')) {
      ends.pop();
      at += 1;
      expects = ends.length === 0 ? 'nothing' : 'comma or end';
    } else if (expects === 'comma or end') {
      if (char !== ',') return at;
      at += 1;
      expects = end === '}' ? 'key' : 'value';
    } else if (expects === 'colon') {
      if (char !== ':') return at;
      at += 1;
      expects = 'value';
    } else if (expects.startsWith('value') && (char === '{' || char === '[')) {
      ends.push(char === '{' ? '}' : ']');
      at += 1;
      expects = char === '{' ? 'key or end' : 'value or end';
    } else {
      const isKey = expects.startsWith('key');
      if (isKey && char !== '"') return at;
      const token = char === '"' ? stringFrom(text, at) : wordFrom(text, at);
      if (token.fault !== undefined) return token.fault;
      at = token.end;
      expects = isKey ? 'colon' : ends.length === 0 ? 'nothing' : 'comma or end';
    }
  }
};

interface Token {
  readonly end: number;
  readonly fault?: number;
}

const stringFrom = (text: string, start: number): Token => {
  for (let at = start + 1; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') return { end: at + 1 };
    if (char < ' ') return { end: at, fault: at };
    if (char === '\\') {
      at += 1;
      const isUnicode = text.charAt(at) === 'u' && /^[\da-f]{4}$/i.test(text.slice(at + 1, at + 5));
      if (isUnicode) at += 4;
      else if (!ESCAPED.has(text.charAt(at))) return { end: at, fault: at };
    }
  }
  return { end: text.length, fault: text.length };
};

const wordFrom = (text: string, start: number): Token => {
  const word = ['true', 'false', 'null'].find((known) => text.startsWith(known, start));
  NUMBER.lastIndex = start;
  const found = word ?? NUMBER.exec(text)?.[0];
  return found === undefined ? { end: start, fault: start } : { end: start + found.length };
};
