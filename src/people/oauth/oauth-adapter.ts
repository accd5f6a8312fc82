import type { Adapter } from 'oidc-provider' with { 'resolution-mode': 'import' };

import type { AppKeys } from './app-keys';
import { UNUSED_APP_SECONDS } from './oauth-lifetimes';
import type { OauthRowRepository, Payload } from './oauth-row.repository';

/** Stores the objects of one kind in our table. */
export const adapterOf = (
  kind: string,
  rows: OauthRowRepository,
  keys: AppKeys,
  refusal: () => Error,
): Adapter => {
  const endGrant = async (grantId: string): Promise<void> => {
    await rows.deleteOf(grantId);
    const grant = await rows.delete('Grant', grantId);
    if (grant !== undefined) await keys.end(String(grant['accountId']));
  };
  return {
    upsert: (id, payload, seconds = UNUSED_APP_SECONDS) => rows.write(kind, id, payload as Payload, seconds),
    find: (id) => rows.find(kind, id),
    /** A second use of a code or a refresh token means that two parties have it, so the whole grant ends. */
    consume: async (id) => {
      if (await rows.use(kind, id)) return;
      const found = await rows.find(kind, id);
      if (found !== undefined) await endGrant(String(found['grantId']));
      throw refusal();
    },
    destroy: async (id) => {
      if (kind === 'Grant') await endGrant(id);
      else await rows.delete(kind, id);
    },
    revokeByGrantId: (grantId) => rows.deleteOf(grantId),
    // The rows of these are not used: nothing ends with a session, and no device has a code.
    findByUid: () => Promise.resolve(undefined),
    findByUserCode: () => Promise.resolve(undefined),
  };
};
