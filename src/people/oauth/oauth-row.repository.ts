import { hash } from 'node:crypto';

import { Injectable } from '@nestjs/common';

import { ifPresent, present } from '#kernel/present';
import { Database } from '#platform/database/database';
import { deletedRows } from '#platform/queue/sweep-rows.repository';

export type Payload = Readonly<Record<string, unknown>>;

/** Access tokens, codes and sign-ins are over, and apps were never used. */
export const ENDED_ROWS = deletedRows({
  step: 'ended-oauth-rows',
  table: 'oauth_row',
  key: 'kind, id_hash',
  due: 'expires_at < now()',
});

/** An id of the library is random and long, so a fast hash of it can't be searched. */
const hashOf = (id: string): Buffer => hash('sha256', id, 'buffer');

@Injectable()
export class OauthRowRepository {
  constructor(private readonly db: Database) {}

  async write(kind: string, id: string, { jti: _, ...payload }: Payload, seconds: number): Promise<void> {
    await this.db.rows(
      `insert into oauth_row (kind, id_hash, payload, grant_id, expires_at)
       values ($1, $2, $3, $4, now() + make_interval(secs => $5))
       on conflict (kind, id_hash) do update set payload = excluded.payload, expires_at = excluded.expires_at`,
      [kind, hashOf(id), JSON.stringify(payload), payload['grantId'], seconds],
      'oauth-row-write',
    );
  }

  async find(kind: string, id: string): Promise<Payload | undefined> {
    const row = await this.db.one<{ payload: Payload; consumed: number | null }>(
      `select payload, extract(epoch from consumed_at)::integer as consumed from oauth_row
       where kind = $1 and id_hash = $2`,
      [kind, hashOf(id)],
      'oauth-row-find',
    );
    return row && { ...row.payload, jti: id, consumed: present(row.consumed) };
  }

  /** False if it was used before. Of two concurrent uses, one is the first. */
  async use(kind: string, id: string): Promise<boolean> {
    const row = await this.db.one(
      `update oauth_row set consumed_at = now() where kind = $1 and id_hash = $2 and consumed_at is null
       returning 1 as used`,
      [kind, hashOf(id)],
      'oauth-row-use',
    );
    return row !== undefined;
  }

  async delete(kind: string, id: string): Promise<Payload | undefined> {
    const row = await this.db.one<{ payload: Payload }>(
      'delete from oauth_row where kind = $1 and id_hash = $2 returning payload',
      [kind, hashOf(id)],
      'oauth-row-delete',
    );
    return row?.payload;
  }

  /** Deletes the codes and the tokens of a grant. */
  async deleteOf(grantId: string): Promise<void> {
    await this.db.rows('delete from oauth_row where grant_id = $1', [grantId], 'oauth-rows-delete');
  }

  /** Keeps a registered app that somebody has connected. */
  async keepApp(clientId: string, days: number): Promise<void> {
    await this.db.rows(
      `update oauth_row set expires_at = now() + make_interval(days => $2) where kind = 'Client' and id_hash = $1`,
      [hashOf(clientId), days],
      'oauth-app-keep',
    );
  }

  /** The hash of the secret of the key that an access token stands for, in base64; undefined if the token has ended. */
  async keyHashOf(token: string, audience: string): Promise<string | undefined> {
    const row = await this.db.one<{ hash: Buffer }>(
      `select k.hash from oauth_row t join api_key k on k.id = t.payload->>'accountId' and k.app is not null
       where t.kind = 'AccessToken' and t.id_hash = $1 and t.expires_at > now() and t.payload->>'aud' = $2`,
      [hashOf(token), audience],
      'oauth-key-of-token',
    );
    return ifPresent(row, ({ hash: found }) => found.toString('base64'));
  }
}
