import { InvalidRequest } from '#kernel/app-error';
import { JsonStrings } from './json-strings';

const DEPTH_MAX = 32;
const VALUES_MAX = 100_000;

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const COMMA = 0x2c;

/** Decodes a key from its bytes between the quotes. */
const keyOf = (raw: Buffer): string => {
  const text = raw.toString('utf8');
  if (!text.includes('\\')) return text;
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return text;
  }
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
 * Refuses JSON that `JSON.parse` accepts but later code can't handle: deep nesting, too many values, duplicate keys and
 * `__proto__`. It reads a body in slices while it arrives, so it refuses a bad body early. It skips strings, so a large
 * data URI costs almost nothing.
 */
export class JsonGuard {
  private readonly open: (Set<string> | undefined)[] = [];
  private keys: Set<string> | undefined;
  private expectsKey = false;
  private values = 0;
  private readonly strings = new JsonStrings();
  /** The received slices of a key; undefined inside a string that is a value. */
  private key: Buffer[] | undefined;

  feed(slice: Buffer): void {
    for (let at = 0; at < slice.length;) {
      const { isInside } = this.strings;
      const edge = this.strings.edge(slice, at);
      const end = edge === -1 ? slice.length : edge;
      if (isInside) this.key?.push(slice.subarray(at, end));
      else for (; at < end; at += 1) this.take(slice[at] ?? 0);
      if (edge !== -1 && isInside) this.closeString();
      else if (edge !== -1) this.key = this.expectsKey && this.keys !== undefined ? [] : undefined;
      at = end + 1;
    }
  }

  private take(byte: number): void {
    switch (byte) {
      case OPEN_OBJECT:
      case OPEN_ARRAY:
        if (this.open.length >= DEPTH_MAX) {
          throw new InvalidRequest(`The body is nested deeper than ${DEPTH_MAX} levels.`);
        }
        this.expectsKey = byte === OPEN_OBJECT;
        this.keys = this.expectsKey ? new Set() : undefined;
        this.open.push(this.keys);
        break;
      case CLOSE_OBJECT:
      case CLOSE_ARRAY:
        this.open.pop();
        this.keys = this.open.at(-1);
        this.expectsKey = false;
        break;
      case COMMA:
        this.values += 1;
        if (this.values > VALUES_MAX) {
          throw new InvalidRequest(`The body holds more than ${VALUES_MAX} values.`);
        }
        this.expectsKey = this.keys !== undefined;
        break;
      default:
    }
  }

  private closeString(): void {
    if (this.key === undefined || this.keys === undefined) return;
    const [only] = this.key;
    refuseKey(keyOf(this.key.length === 1 ? only! : Buffer.concat(this.key)), this.keys);
    this.expectsKey = false;
    this.key = undefined;
  }
}
