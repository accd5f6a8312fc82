import { call } from './api.ts';

const KEPT = 'admin-token';

/** The token lives as long as the tab. It is sent with each call and nowhere else. */
export const adminToken = {
  read: (): string | null => sessionStorage.getItem(KEPT),
  keep: (token: string): void => sessionStorage.setItem(KEPT, token),
  forget: (): void => sessionStorage.removeItem(KEPT),
};

const asAdmin = (): { readonly authorization: string } => ({
  authorization: `Bearer ${adminToken.read() ?? ''}`,
});

/** The same call as other pages make, with the token. */
export const adminCall: typeof call = (method, path, options) =>
  call(method, path, { ...options, headers: { ...options?.headers, ...asAdmin() } });
