const NAME = 'organisation';

const stored = (): string | undefined =>
  (sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? '') || undefined;

/**
 * The organisation that this page acts for; undefined is the person’s own account. It stays the same until the page is
 * left, whatever other tabs do.
 */
export const actingFor = stored();

/** From the next page on, in this tab and in new ones. */
export const actFor = (id: string | undefined): void => {
  sessionStorage.setItem(NAME, id ?? '');
  localStorage.setItem(NAME, id ?? '');
};

/** The headers of every call of a session. */
export const actingHeaders = (): Readonly<Record<string, string>> =>
  actingFor === undefined ? {} : { 'x-organisation': actingFor };
