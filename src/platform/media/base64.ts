/**
 * The bytes of a base64 text, or undefined for any other text. It uses no regular expression for the whole text. In a
 * process with much code, V8 stops optimising new expressions. An expression that repeats over megabytes then overflows
 * the stack.
 */
export const bytesOfBase64 = (text: string): Buffer | undefined => {
  const end = text.search(/[^A-Za-z0-9+/]/);
  if (end !== -1 && !/^={1,2}$/.test(text.slice(end, end + 3))) return undefined;
  return Buffer.from(text, 'base64');
};
