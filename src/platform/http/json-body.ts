import { isUtf8 } from 'node:buffer';

import { InvalidRequest } from '../../kernel/app-error';
import { faultPosition } from './json-fault';

const DEPTH_MAX = 32;
const VALUES_MAX = 100_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;

/** Where the string that opens at `start` ends: the index of its closing quote, or -1. */
const endOfString = (text: string, start: number): number => {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) {
      return end;
    }
  }
  return -1;
};

const refuseKey = (key: string, keys: Set<string>): void => {
  if (key === '__proto__') {
    throw new InvalidRequest('The body must not hold the key __proto__.', { param: '__proto__' });
  }
  if (keys.has(key)) {
    const name = key.slice(0, 100);
    throw new InvalidRequest(`The body names ${name} twice; which one is meant?`, { param: name });
  }
  keys.add(key);
};

/**
 * Refuses what `JSON.parse` would take and later code would choke on: deep nesting, floods of values, the same
 * key twice and `__proto__`. One pass that jumps over strings, so a large data URI costs next to nothing.
 */
const inspect = (text: string): void => {
  const open: (Set<string> | undefined)[] = [];
  let keys: Set<string> | undefined;
  let expectsKey = false;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        if (end === -1) return; // JSON.parse says what is wrong.
        if (expectsKey && keys !== undefined) {
          const raw = text.slice(at + 1, end);
          refuseKey(raw.includes('\\') ? unescape(text.slice(at, end + 1)) : raw, keys);
          expectsKey = false;
        }
        at = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (open.length >= DEPTH_MAX) {
          throw new InvalidRequest(`The body is nested deeper than ${DEPTH_MAX} levels.`);
        }
        expectsKey = text.charCodeAt(at) === OPEN_OBJECT;
        keys = expectsKey ? new Set() : undefined;
        open.push(keys);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        open.pop();
        keys = open.at(-1);
        expectsKey = false;
        break;
      case COMMA:
        values += 1;
        if (values > VALUES_MAX) {
          throw new InvalidRequest(`The body holds more than ${VALUES_MAX} values.`);
        }
        expectsKey = keys !== undefined;
        break;
      default:
    }
  }
};

const unescape = (literal: string): string => {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return literal;
  }
};

/** Parses a request body; every way in which it can be wrong is a 400 that says so. An empty body is `{}`. */
export const parseJsonBody = (bytes: Buffer): unknown => {
  if (!isUtf8(bytes)) {
    throw new InvalidRequest('The body is not valid UTF-8.');
  }
  const text = bytes.toString('utf8');
  if (text.trim() === '') {
    return {};
  }
  inspect(text);
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidRequest(`The body is not valid JSON (at position ${faultPosition(text)}).`);
  }
};
