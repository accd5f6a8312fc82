/** A header's name and a value without line breaks, which would begin another header. */
const NAME = /^[A-Za-z0-9-]{1,100}$/;
const VALUE = /^[\x20-\x7e]{1,4000}$/;

/** Reads the setting `{"Authorization": "Bearer …"}`. The message never repeats it: it is a secret. */
export const facilitatorHeaders = (setting: string | undefined): Readonly<Record<string, string>> => {
  if (setting === undefined) {
    return {};
  }
  let value: unknown;
  try {
    value = JSON.parse(setting);
  } catch {
    value = undefined;
  }
  const entries = Object.entries(typeof value === 'object' && value !== null ? value : { '': '' });
  if (Array.isArray(value) || !entries.every(([name, text]) => NAME.test(name) && VALUE.test(String(text)))) {
    throw new Error('X402_FACILITATOR_HEADERS must be a JSON object of header names and values.');
  }
  return Object.fromEntries(entries.map(([name, text]) => [name.toLowerCase(), String(text)]));
};
