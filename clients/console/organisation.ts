const NAME = 'organisation';

const stored = (): string | undefined =>
  (sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? '') || undefined;

/** For which organisation this page acts; undefined is one's own. It stays so until the page is left, whatever other tabs do. */
export const actingFor = stored();

/** From the next page on, in this tab and in new ones. */
export const actFor = (id: string | undefined): void => {
  sessionStorage.setItem(NAME, id ?? '');
  localStorage.setItem(NAME, id ?? '');
};

/** What goes with every call of a session. */
export const actingHeaders = (): Readonly<Record<string, string>> =>
  actingFor === undefined ? {} : { 'x-organisation': actingFor };
