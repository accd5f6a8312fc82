import { Injectable } from '@nestjs/common';

import { microFromText } from '../kernel/money';
import { present } from '../kernel/present';
import { Database } from '../platform/database/database';
import { tableOf } from '../platform/database/table';
import type { KeyChange, NewKey, UsedKey } from './api-key';
import { ApiKey } from './api-key.entity';

/** A key that a marked call made, and whether it may be shown to that call again. */
export interface MadeKey {
  readonly id: string;
  readonly madeBy: Buffer;
  readonly shown: boolean;
}

/** What decides whether a key may be used, read in one look. */
export interface KnownKey {
  readonly keyId: string;
  readonly accountId: string;
  readonly enabled: boolean;
  readonly expired: boolean;
  readonly banned: boolean;
}

const KEYS = tableOf(ApiKey);

/** The same 30 days that the spend limit looks at. */
const USED_KEYS = `
  select ${KEYS.columns}, coalesce(used.calls, 0)::text as calls, coalesce(used.spent, 0)::text as spent, used.last_at
  from api_key left join lateral (
    select sum(calls) as calls, max(last_at) as last_at,
      sum(spent_micro) filter (where day > (now() at time zone 'utc')::date - 30) as spent
    from key_spend where key_id = api_key.id) used on true
  where account_id = $1 and deleted_at is null`;

interface Use {
  readonly calls: string;
  readonly spent: string;
  readonly last_at: Date | null;
}

const toKey = (row: Use): UsedKey => ({
  ...KEYS.read(row),
  requestCount: Number(row.calls),
  spend30d: microFromText(row.spent),
  lastUsedAt: present(row.last_at),
});

@Injectable()
export class KeyRepository {
  constructor(private readonly db: Database) {}

  async list(accountId: string): Promise<UsedKey[]> {
    const rows = await this.db.rows<Use>(
      `${USED_KEYS} order by created_at desc, id desc`,
      [accountId],
      'key-list',
    );
    return rows.map(toKey);
  }

  async find(accountId: string, id: string): Promise<UsedKey | undefined> {
    const row = await this.db.one<Use>(`${USED_KEYS} and id = $2`, [accountId, id], 'key-find');
    return row && toKey(row);
  }

  /** What an earlier call with the same mark has made: undefined when there was none. */
  async madeBefore(hash: Buffer): Promise<MadeKey | undefined> {
    const row = await this.db.one<{ id: string; made_by: Buffer; shown: boolean }>(
      `select id, made_by, deleted_at is null and created_at > now() - interval '1 day' as shown
       from api_key where hash = $1 and made_by is not null`,
      [hash],
      'key-made-before',
    );
    return row && { id: row.id, madeBy: row.made_by, shown: row.shown };
  }

  /** Undefined when the account holds `most` keys already, or this one. */
  async add(key: NewKey, most: number): Promise<Pick<ApiKey, 'expiresAt'> | undefined> {
    const row = await this.db.one(
      `insert into api_key (id, account_id, name, hash, prefix, expires_at, spend_limit_micro, made_by)
       select $1, $2, $3, $4, $5, now() + make_interval(days => $6), $7, $9
       where (select count(*) from api_key where account_id = $2 and deleted_at is null) < $8
       on conflict (hash) do nothing
       returning expires_at`,
      [
        key.id,
        key.accountId,
        key.name,
        key.hash,
        key.prefix,
        key.expiresInDays,
        key.spendLimitMicro,
        most,
        key.madeBy,
      ],
      'key-add',
    );
    return row && KEYS.read(row);
  }

  /**
   * False when there is no such key, or when the change would bring an expired one back. The condition stands in the
   * statement, so that a key can't expire between a look and the change.
   */
  async change(accountId: string, id: string, change: KeyChange): Promise<boolean> {
    const { name, enabled, expiresInDays, spendLimitMicro } = change;
    const revives = enabled === true || expiresInDays !== undefined;
    const row = await this.db.one(
      `update api_key set
         name = coalesce($3, name),
         enabled = coalesce($4, enabled),
         expires_at = case when $5 then now() + make_interval(days => $6) else expires_at end,
         spend_limit_micro = case when $7 then $8::bigint else spend_limit_micro end
       where account_id = $1 and id = $2 and deleted_at is null
         and not ($9 and expires_at is not null and expires_at <= now())
       returning id`,
      [
        accountId,
        id,
        name,
        enabled,
        expiresInDays !== undefined,
        expiresInDays,
        spendLimitMicro !== undefined,
        spendLimitMicro,
        revives,
      ],
      'key-change',
    );
    return row !== undefined;
  }

  /** For good. The row stays, because charges name it; nothing finds it by its hash any more. */
  async delete(accountId: string, id: string): Promise<boolean> {
    const row = await this.db.one(
      `update api_key set deleted_at = now() where account_id = $1 and id = $2 and deleted_at is null returning id`,
      [accountId, id],
      'key-delete',
    );
    return row !== undefined;
  }

  /** By hash and by the unique index on it, so that the time it takes says nothing about the key. */
  async byHash(hash: Buffer): Promise<KnownKey | undefined> {
    const row = await this.db.one<{
      id: string;
      account_id: string;
      enabled: boolean;
      expired: boolean;
      banned: boolean;
    }>(
      `select k.id, k.account_id, k.enabled, coalesce(k.expires_at <= now(), false) as expired,
         a.banned_at is not null as banned
       from api_key k join account a on a.id = k.account_id
       where k.hash = $1 and k.deleted_at is null`,
      [hash],
      'key-by-hash',
    );
    return (
      row && {
        keyId: row.id,
        accountId: row.account_id,
        enabled: row.enabled,
        expired: row.expired,
        banned: row.banned,
      }
    );
  }

  /** Those that exist, are enabled, have not expired, and whose account is open. */
  async goodAmong(ids: readonly string[]): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    const rows = await this.db.rows<{ id: string }>(
      `select k.id from api_key k join account a on a.id = k.account_id
       where k.id = any($1) and k.deleted_at is null and k.enabled and a.banned_at is null
         and (k.expires_at is null or k.expires_at > now())`,
      [ids],
      'key-good-among',
    );
    return new Set(rows.map(({ id }) => id));
  }
}
