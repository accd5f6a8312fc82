const NAME = 'organisation';

const stored = (): string | undefined =>
  (sessionStorage.getItem(NAME) ?? localStorage.getItem(NAME) ?? '') || undefined;

/**
 * The organisation that this page acts for; undefined for the person’s own account. It stays the same for this page,
 * even if another tab changes it.
 */
export const actingFor = stored();

/** Sets the organisation for later pages of this tab and of new tabs. */
export const actFor = (id: string | undefined): void => {
  sessionStorage.setItem(NAME, id ?? '');
  localStorage.setItem(NAME, id ?? '');
};

/** The headers of every call with a session. */
export const actingHeaders = (): Readonly<Record<string, string>> =>
  actingFor === undefined ? {} : { 'x-organisation': actingFor };
