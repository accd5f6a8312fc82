import { causesOf, networkReason } from '#kernel/outside-failure';

/** Only the host of an address, because the rest may contain a key. */
export const hostOf = (url: string): string => new URL(url).host;

const reasonOf = (error: unknown): string | undefined => {
  const known = networkReason(error);
  if (known !== undefined) return known;
  const causes: readonly { name: string; code?: unknown; status?: unknown }[] = causesOf(error);
  if (causes.some(({ name }) => name === 'TimeoutError')) return 'no answer in time';
  const status = causes.map((one) => one.status).find((one) => typeof one === 'number');
  if (status !== undefined) return `it answers ${status}`;
  return causes.flatMap(({ code }) => (typeof code === 'string' ? code : []))[0];
};

/** Why a party did not answer, to be put behind a statement. It contains no address, and may be empty. */
export const inWords = (error: unknown): string => {
  const why = reasonOf(error);
  return why === undefined ? '' : `: ${why}`;
};
