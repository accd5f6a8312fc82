/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. A list is none. */
export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a JSON text; undefined if the text is not JSON. */
export const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** The value of a header that holds JSON in base64 or base64url; undefined if it holds anything else. */
export const jsonInBase64 = (header: string): unknown =>
  jsonIn(Buffer.from(header, 'base64').toString('utf8'));
