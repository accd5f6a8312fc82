/** A header's name and a value without line breaks, which would begin another header. */
const NAME = /^[A-Za-z0-9-]{1,100}$/;
const VALUE = /^[\x20-\x7e]{1,4000}$/;

export const FACILITATOR_HEADERS_RULE =
  'a JSON object of header names and values such as {"Authorization":"Bearer …"}';

/** Reads `X402_FACILITATOR_HEADERS`; undefined if it is malformed. */
export const parseFacilitatorHeaders = (text: string): Readonly<Record<string, string>> | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  const isSound = entries.every(
    ([name, said]) => NAME.test(name) && typeof said === 'string' && VALUE.test(said),
  );
  return isSound
    ? Object.fromEntries(entries.map(([name, said]) => [name.toLowerCase(), said as string]))
    : undefined;
};

/** Each form in which a secret could be in a log line: `Bearer` and similar words are no secret. */
export const secretsInHeaders = (headers: Readonly<Record<string, string>>): readonly string[] =>
  Object.values(headers).flatMap((value) => [value, value.split(' ').at(-1)!]);
