import { call } from '../parts/api.ts';

const KEPT = 'admin-token';

/** The tab keeps the token until it is closed. The page sends the token only with calls to this service. */
export const adminToken = {
  read: (): string | null => sessionStorage.getItem(KEPT),
  keep: (token: string): void => sessionStorage.setItem(KEPT, token),
  forget: (): void => sessionStorage.removeItem(KEPT),
};

const asAdmin = (): { readonly authorization: string } => ({
  authorization: `Bearer ${adminToken.read() ?? ''}`,
});

/** Calls the service like other pages, with the token. */
export const adminCall: typeof call = (method, path, options) =>
  call(method, path, { ...options, headers: { ...options?.headers, ...asAdmin() } });
