import { isFields, jsonIn } from '#kernel/json';

/** A header's name and a value. The value has no line break, because that would begin another header. */
const NAME = /^[A-Za-z0-9-]{1,100}$/;
const VALUE = /^[\x20-\x7e]{1,4000}$/;

export const FACILITATOR_HEADERS_RULE =
  'a JSON object of header names and values such as {"Authorization":"Bearer …"}, or such an object for each facilitator by its origin';

type Headers = Readonly<Record<string, string>>;

const headersIn = (value: unknown): Headers | undefined => {
  if (!isFields(value)) return undefined;
  const entries = Object.entries(value);
  const isSound = entries.every(
    ([name, value]) => NAME.test(name) && typeof value === 'string' && VALUE.test(value),
  );
  return isSound
    ? Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value as string]))
    : undefined;
};

/** The headers of the only facilitator, or those of several facilitators by their origins. */
export interface FacilitatorHeaders {
  readonly plain: Headers;
  readonly byOrigin: Readonly<Record<string, Headers>>;
}

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/** Reads `X402_FACILITATOR_HEADERS`; undefined if it is malformed. */
export const parseFacilitatorHeaders = (text: string): FacilitatorHeaders | undefined => {
  const value = jsonIn(text);
  const plain = headersIn(value);
  if (plain !== undefined) return { plain, byOrigin: {} };
  const sets = Object.entries(isFields(value) ? value : {}).map(
    ([name, value]) => [name, headersIn(value)] as const,
  );
  const isSound = sets.length > 0 && sets.every(([name, headers]) => isOrigin(name) && headers !== undefined);
  return isSound ? { plain: {}, byOrigin: Object.fromEntries(sets) as Record<string, Headers> } : undefined;
};

/** Each secret in the forms in which a log line could contain it, without words such as `Bearer`. */
export const secretsInHeaders = ({ plain, byOrigin }: FacilitatorHeaders): readonly string[] =>
  [plain, ...Object.values(byOrigin)]
    .flatMap((headers) => Object.values(headers))
    .flatMap((value) => [value, value.split(' ').at(-1)!]);
