import { Injectable } from '@nestjs/common';

import { LEADS, type Role } from '#people/accounts/roles';
import { type Micro, microFromText } from '#kernel/money';
import { ifPresent, present } from '#kernel/present';
import type { WalletAddress } from '#kernel/wallet-address';
import { Database, type Queries } from '#platform/database/database';
import { named } from '#platform/database/named-sql';
import { withOwnerLock } from '#platform/database/owner-lock';
import { tableOf } from '#platform/database/table';
import type { BindingKey, KeyChange, NewKey, UsedKey } from './api-key';
import { ApiKey } from './api-key.entity';
import { DELETED_BINDS_DAYS, type KeyLimits, SHOWN_AGAIN_DAYS } from './key-limits';
import type { KeyScopes } from './key-scopes';
import { guardedIn, setByOf } from './guarded-settings';
import { developerOf, memberOfKey } from './visible-rows.sql';

/** A key that an earlier call with an idempotency key made, and whether that call may see it again. */
export interface MadeKey {
  readonly id: string;
  readonly madeBy: Buffer;
  readonly shown: boolean;
}

/** A key or a key above it. `ended` is the reason why it may not be used. */
export interface KnownLevel {
  readonly id: string;
  readonly scopes?: KeyScopes;
  readonly ended?: 'deleted' | 'expired' | 'disabled';
}

/** The facts that decide whether a key may be used, read in one query. */
export interface KnownKey {
  readonly id: string;
  readonly accountId?: string;
  readonly wallet?: WalletAddress;
  readonly banned: boolean;
  readonly above: readonly string[];
  readonly countedAbove: readonly string[];
  readonly depth: number;
  readonly reserveId?: string;
  /** The member who made it, or made the key at the root of its tree. */
  readonly maker?: string;
  /** The same member, if this member is a developer of the organisation. */
  readonly developer?: string;
  /** The root first. */
  readonly levels: readonly KnownLevel[];
  readonly exchanged?: 'old' | 'new';
}

/** The selected keys: those of an account or a wallet, or only those below a key. */
export interface KeysOf {
  readonly owner: string;
  readonly below?: string;
  /** Leaves out the keys that the account itself made. */
  readonly delegated?: boolean;
  /** The person who made the keys, or made the keys above them. */
  readonly maker?: string;
}

/** The selected page of a list. */
export interface KeyPage {
  readonly limit: number;
  /** The last id of the previous page. */
  readonly before?: string;
}

/** The recent spending of a key, and the most that it can still spend. */
export interface KeyOutlook {
  readonly mayLose: Micro;
  /** In micro-USD, the oldest day of UTC first; the last one is today. */
  readonly days: readonly number[];
}

const OUTLOOK_DAYS = 30;
const TODAY = `(now() at time zone 'utc')::date`;

/** The reason why a key was not added. */
export type NotAdded = 'full' | 'ended';

const KEYS = tableOf(ApiKey);

const MAKER = memberOfKey('api_key.id');

/** The condition for the selected keys, with `$1` to `$4`. */
const MEANT = `coalesce(account_id, wallet) = $1 and deleted_at is null
    and ($2::text is null or $2 = any(above)) and ($3::boolean is not true or depth > 0)
    and ($4::text is null or ${MAKER} = $4)`;

/** A lock serialises statements that add keys or end them. */
const KEYS_LOCK = 'keys';

const valuesOf = ({ owner, below, delegated, maker }: KeysOf) => [owner, below, delegated, maker];

/** The same 30 days as the spend limit. */
const USED_KEYS = `
  select ${KEYS.columns}, ${MAKER} as maker, coalesce(used.calls, 0)::text as calls, coalesce(used.spent, 0)::text as spent,
    coalesce(used.ever, 0)::text as ever, used.last_at,
    (select left_micro from key_reserve r where r.key_id = api_key.id and r.ended_at is null) as reserve_left
  from api_key left join lateral (
    select sum(calls) as calls, max(last_at) filter (where calls > 0) as last_at, sum(spent_micro) as ever,
      sum(spent_micro) filter (where day > (now() at time zone 'utc')::date - 30) as spent
    from key_spend where key_id = api_key.id) used on true
  where ${MEANT}`;

interface Use {
  readonly calls: string;
  readonly spent: string;
  readonly ever: string;
  readonly last_at: Date | null;
  readonly reserve_left: string | null;
  readonly maker: string | null;
}

const toKey = (row: Use): UsedKey => ({
  ...KEYS.read(row),
  requestCount: Number(row.calls),
  spent: microFromText(row.ever),
  spend30d: microFromText(row.spent),
  reserveLeft: ifPresent(present(row.reserve_left), microFromText),
  lastUsedAt: present(row.last_at),
  maker: present(row.maker),
});

const ADD = named(
  `insert into api_key (id, account_id, wallet, name, hash, prefix, expires_at, spend_limit_micro, made_by, scopes,
    day_limit_micro, month_limit_micro, total_limit_micro, parent_id, above, counted_above, depth, reserve_id,
    sign_in_nonce, member_id, set_by, first_hash, app)
  select :id, :account, :wallet, :name, :hash, :prefix, now() + make_interval(secs => :expiresInSeconds),
    :spendLimit, :madeBy, :scopes, :dayLimit, :monthLimit, :totalLimit, :parent, :above, :countedAbove, :depth, :reserve,
    :signInNonce, nullif(:maker, :account), :setBy, :hash, :app
  from (
    select count(*) as every, count(*) filter (where depth > 1) as of_delegated,
      count(*) filter (where :parent = any(above)) as below
    from api_key where coalesce(account_id, wallet) = coalesce(:account, :wallet) and deleted_at is null
      and (expires_at is null or expires_at > now())) as live
  where every < :liveMax and (:depth::smallint < 2 or of_delegated < :delegatedMax and below < :belowMax)
    and (:parent::text is null or key_lives(:parent, :secretAbove::bytea))
  on conflict (hash) do nothing
  returning expires_at, enabled`,
);

const CHANGE = named(
  `update api_key set
    name = coalesce(:name, name),
    enabled = coalesce(:enabled, enabled),
    member_id = case when :enabled and not may_have_keys(account_id, member_id) then nullif(:person, account_id) else member_id end,
    expires_at = case when :changesExpiry then now() + make_interval(days => :expiresInDays) else expires_at end,
    spend_limit_micro = case when :changesSpendLimit then :spendLimit::bigint else spend_limit_micro end,
    day_limit_micro = case when :changesLimits then :dayLimit::bigint else day_limit_micro end,
    month_limit_micro = case when :changesLimits then :monthLimit::bigint else month_limit_micro end,
    total_limit_micro = case when :changesLimits then :totalLimit::bigint else total_limit_micro end,
    scopes = case when :changesScopes then :scopes::jsonb else scopes end,
    set_by = set_by || case when not :enabled and not enabled then :setBy::jsonb - 'enabled' else :setBy::jsonb end
  where account_id = :account and id = :id and deleted_at is null
    and not exists (
      select from jsonb_each_text(set_by) as one where one.key = any(:guarded::text[]) and one.value = any(:leads::text[]))
    and not (:revives and expires_at is not null and expires_at <= now())
  returning id`,
);

@Injectable()
export class KeyRepository {
  constructor(private readonly db: Database) {}

  /** Newest first. */
  async page(keys: KeysOf, { limit, before }: KeyPage): Promise<UsedKey[]> {
    const rows = await this.db.rows<Use>(
      `${USED_KEYS} and ($6::text is null or (created_at, id) < (select created_at, id from api_key where id = $6))
       order by created_at desc, id desc limit $5`,
      [...valuesOf(keys), limit, before],
      'key-page',
    );
    return rows.map(toKey);
  }

  async find(keys: KeysOf, id: string): Promise<UsedKey | undefined> {
    const row = await this.db.one<Use>(`${USED_KEYS} and id = $5`, [...valuesOf(keys), id], 'key-find');
    return row && toKey(row);
  }

  /**
   * The spending of each key by day, and the most that it can still spend today. Its calls take money from its reserve
   * or from the balance, within the `key_left` of all keys that count them. Reserves of the keys below it are
   * additional.
   */
  async outlooks(ids: readonly string[]): Promise<ReadonlyMap<string, KeyOutlook>> {
    if (ids.length === 0) return new Map();
    const rows = await this.db.rows<{ id: string; may_lose: string; days: [number, number][] | null }>(
      `select k.id,
         case when exists (
           select from api_key l where l.id = any(k.above || k.id)
             and (l.deleted_at is not null or not l.enabled or l.expires_at <= now())) then 0
         else greatest(0, least(
           coalesce(case when k.reserve_id is null
             then (select balance_micro - reserved_micro from ledger_account where id = 'credits:' || k.account_id)
             else (select left_micro from key_reserve where key_id = k.reserve_id and ended_at is null) end, 0),
           (select min(key_left(level)) from unnest(k.counted_above || k.id) as level)))
         + coalesce((
           select sum(r.left_micro) from api_key b join key_reserve r on r.key_id = b.id and r.ended_at is null
           where b.account_id = k.account_id and k.id = any(b.above) and b.deleted_at is null and b.enabled
             and (b.expires_at is null or b.expires_at > now())), 0)
         end::text as may_lose,
         (select jsonb_agg(jsonb_build_array(${TODAY} - s.day, s.spent_micro)) from key_spend s
          where s.key_id = k.id and s.day > ${TODAY} - ${OUTLOOK_DAYS}) as days
       from api_key k where k.id = any($1)`,
      [ids],
      'key-outlooks',
    );
    return new Map(
      rows.map(({ id, may_lose: mayLose, days }) => {
        const spent = new Map(days ?? []);
        const ago = Array.from({ length: OUTLOOK_DAYS }, (_, at) => OUTLOOK_DAYS - 1 - at);
        return [id, { mayLose: microFromText(mayLose), days: ago.map((back) => spent.get(back) ?? 0) }];
      }),
    );
  }

  /**
   * The key that an earlier call with the same idempotency key made, or undefined. A key whose secret was exchanged
   * meanwhile is not shown: its first secret is retired, and `api_key_first_hash` prevents that any other key gets it.
   */
  async madeBefore(hash: Buffer): Promise<MadeKey | undefined> {
    const row = await this.db.one<{ id: string; made_by: Buffer; shown: boolean }>(
      `select id, made_by, deleted_at is null and created_at > now() - interval '${SHOWN_AGAIN_DAYS} day' and hash = $1 as shown
       from api_key where (hash = $1 or first_hash = $1) and made_by is not null`,
      [hash],
      'key-made-before',
    );
    return row && { id: row.id, madeBy: row.made_by, shown: row.shown };
  }

  /** A lock serialises additions of each owner, so two calls never take the same last free slot. */
  add(key: NewKey, limits: KeyLimits): Promise<Pick<ApiKey, 'expiresAt' | 'enabled'> | NotAdded> {
    return withOwnerLock(this.db, KEYS_LOCK, key.accountId ?? key.wallet ?? '', async (queries) => {
      const row = await this.addInTurn(queries, key, limits);
      if (row !== undefined) return KEYS.read(row);
      const { parentId, secretAbove } = key.parentage ?? {};
      const above = await queries.one(
        'select where $1::text is null or key_lives($1, $2::bytea)',
        [parentId, ifPresent(secretAbove, (text) => Buffer.from(text, 'base64'))],
        'key-above-lives',
      );
      return above === undefined ? 'ended' : 'full';
    });
  }

  private addInTurn(queries: Queries, key: NewKey, limits: KeyLimits): ReturnType<Queries['one']> {
    const { parentage, spendLimits } = key;
    return queries.one(
      ...ADD({
        id: key.id,
        account: key.accountId,
        wallet: key.wallet,
        name: key.name,
        hash: key.hash,
        prefix: key.prefix,
        expiresInSeconds: key.expiresInSeconds,
        spendLimit: key.spendLimitMicro,
        liveMax: limits.all,
        madeBy: key.madeBy,
        scopes: ifPresent(key.scopes, (scopes) => JSON.stringify(scopes)),
        dayLimit: spendLimits?.dayMicro,
        monthLimit: spendLimits?.monthMicro,
        totalLimit: spendLimits?.totalMicro,
        parent: parentage?.parentId,
        above: parentage?.above ?? [],
        countedAbove: [...(parentage?.countedAbove ?? []), ...(key.countsAgainst ?? [])],
        depth: parentage?.depth ?? 0,
        reserve: parentage?.reserveId,
        signInNonce: key.signInNonce,
        maker: key.maker,
        delegatedMax: limits.ofDelegated,
        belowMax: limits.belowOne,
        secretAbove: ifPresent(parentage?.secretAbove, (text) => Buffer.from(text, 'base64')),
        setBy: JSON.stringify(key.setBy ?? {}),
        app: ifPresent(key.app, (app) => JSON.stringify(app)),
      }),
      'key-add',
    );
  }

  /**
   * False if there is no such key, if the change would bring an expired key back, or if a higher role has set the
   * value. The statement itself checks this, so nothing changes in between. A member who enables a key becomes its
   * maker if the old maker may have no keys.
   */
  async change(
    accountId: string,
    id: string,
    change: KeyChange,
    by: { readonly person: string; readonly role: Role },
  ): Promise<boolean> {
    const { name, enabled, expiresInDays, spendLimitMicro, spendLimits, scopes } = change;
    const revives = enabled === true || expiresInDays !== undefined;
    const row = await this.db.one(
      ...CHANGE({
        account: accountId,
        id,
        name,
        enabled,
        changesExpiry: expiresInDays !== undefined,
        expiresInDays,
        changesSpendLimit: spendLimitMicro !== undefined,
        spendLimit: spendLimitMicro,
        revives,
        changesLimits: spendLimits !== undefined,
        dayLimit: spendLimits?.dayMicro,
        monthLimit: spendLimits?.monthMicro,
        totalLimit: spendLimits?.totalMicro,
        changesScopes: scopes !== undefined,
        scopes: ifPresent(present(scopes), (one) => JSON.stringify(one)),
        person: by.person,
        setBy: JSON.stringify(setByOf(change, by.role)),
        guarded: guardedIn(change, by.role),
        leads: LEADS,
      }),
      'key-change',
    );
    return row !== undefined;
  }

  /** The keys of a member that an owner or an admin has limited, and such keys that were deleted lately. */
  async bindingOn(organisation: string, member: string): Promise<readonly BindingKey[]> {
    const rows = await this.db.rows<{ counted: string[]; scopes: KeyScopes | null }>(
      `select case when set_by->>'spendLimitMicro' = any($3) or set_by->>'spendLimits' = any($3)
           then counted_above || id else '{}' end as counted,
         case when set_by->>'scopes' = any($3) then scopes end as scopes
       from api_key where account_id = $1 and member_id = $2 and parent_id is null
         and (deleted_at is null or deleted_at > now() - interval '${DELETED_BINDS_DAYS} days')
         and (set_by->>'spendLimitMicro' = any($3) or set_by->>'spendLimits' = any($3) or set_by->>'scopes' = any($3))
       order by created_at desc`,
      [organisation, member, LEADS],
      'key-binding-on',
    );
    return rows.map(({ counted, scopes }) => ({ counted, scopes: present(scopes) }));
  }

  /**
   * Stores the key's new secret. The present secret works for `overlapSeconds` more. If this is 0, its delegated keys
   * end.
   */
  async rotate(
    accountId: string,
    id: string,
    secret: Pick<NewKey, 'hash' | 'prefix'>,
    overlapSeconds: number,
  ): Promise<boolean> {
    const work = (queries: Queries) =>
      queries.one(
        `with rotated as (
         update api_key set hash = $3, prefix = $4, first_hash = coalesce(first_hash, hash), rotated_at = now(), used_at = null, previous_used_at = null,
           previous_hash = case when $5::integer > 0 then hash end,
           previous_until = case when $5::integer > 0 then now() + make_interval(secs => $5) end
         where account_id = $1 and id = $2 and deleted_at is null and (expires_at is null or expires_at > now())
         returning id
       ), ended as (
         update api_key set deleted_at = now() from rotated
         where $5::integer = 0 and rotated.id = any(api_key.above) and api_key.deleted_at is null
       )
       select id from rotated`,
        [accountId, id, secret.hash, secret.prefix, overlapSeconds],
        'key-rotate',
      );
    // The old secret may be making a delegated key now. The lock ensures that this key exists and ends here, or is
    // never made.
    return (await withOwnerLock(this.db, KEYS_LOCK, accountId, work)) !== undefined;
  }

  /** Stores the last uses of keys that have two secrets. */
  async used(uses: readonly { readonly id: string; readonly exchanged: 'old' | 'new'; readonly at: Date }[]) {
    await this.db.rows(
      `update api_key k set
         used_at = greatest(k.used_at, case u.exchanged when 'new' then u.at end),
         previous_used_at = greatest(k.previous_used_at, case u.exchanged when 'old' then u.at end)
       from (select id, exchanged, max(at) as at from unnest($1::text[], $2::text[], $3::timestamptz[])
         as one (id, exchanged, at) group by id, exchanged) u
       where k.id = u.id`,
      [uses.map(({ id }) => id), uses.map(({ exchanged }) => exchanged), uses.map(({ at }) => at)],
      'key-used',
    );
  }

  /** Removes a key that nobody has seen. */
  async forget(id: string): Promise<void> {
    await this.db.rows(
      'delete from api_key where id = $1 and not exists (select from key_reserve where key_id = $1)',
      [id],
      'key-forget',
    );
  }

  /** The seconds until the first of these keys expires; undefined if none expires. */
  async secondsLeft(ids: readonly string[]): Promise<number | undefined> {
    const row = await this.db.one<{ left: number | null }>(
      'select floor(extract(epoch from min(expires_at) - now()))::integer as left from api_key where id = any($1)',
      [ids],
      'key-seconds-left',
    );
    return present(row?.left);
  }

  /**
   * Deletes a key for ever, with all keys below it. The rows stay, because charges name them, but no secret finds them.
   */
  async delete(keys: KeysOf, id: string): Promise<boolean> {
    const rows = await this.db.rows<{ id: string }>(
      `update api_key every set deleted_at = now()
       where every.deleted_at is null and (every.id = $5 or $5 = any(every.above))
         and exists (select from api_key where id = $5 and ${MEANT})
       returning every.id`,
      [...valuesOf(keys), id],
      'key-delete',
    );
    return rows.length > 0;
  }

  /** The owner of an app's key, and the hash of its secret; undefined if the key is deleted or is for no app. */
  ofApp(id: string): Promise<{ readonly owner: string; readonly hash: Buffer } | undefined> {
    return this.db.one(
      `select coalesce(account_id, wallet) as owner, hash from api_key
       where id = $1 and app is not null and deleted_at is null`,
      [id],
      'key-of-app',
    );
  }

  /** Searches by the hash and its unique indexes, so the duration reveals nothing about the key. */
  async byHash(hash: Buffer): Promise<KnownKey | undefined> {
    const row = await this.db.one<{
      id: string;
      banned: boolean;
      exchanged: 'old' | 'new' | null;
      maker: string | null;
      developer: string | null;
      levels: (KnownLevel & {
        readonly scopes: KeyScopes | null;
        readonly ended: KnownLevel['ended'] | null;
      })[];
    }>(
      `select k.id, k.account_id, k.wallet, k.above, k.counted_above, k.depth, k.reserve_id,
         a.banned_at is not null as banned,
         coalesce(k.member_id, (select root.member_id from api_key root where root.id = k.above[1])) as maker,
         ${developerOf('k.account_id', memberOfKey('k.id'))} as developer,
         case when k.previous_until > now() then case when k.hash = $1 then 'new' else 'old' end end as exchanged,
         (select jsonb_agg(jsonb_build_object('id', l.id, 'scopes', l.scopes, 'ended',
            case when l.deleted_at is not null then 'deleted' when l.expires_at <= now() then 'expired'
              when not l.enabled then 'disabled' end) order by array_position(k.above || k.id, l.id))
          from api_key l where l.id = any(k.above || k.id)) as levels
       from api_key k left join account a on a.id = k.account_id
       where k.hash = $1 or (k.previous_hash = $1 and k.previous_until > now())`,
      [hash],
      'key-by-hash',
    );
    if (row === undefined) return undefined;
    const { id, accountId, wallet, above, countedAbove, depth, reserveId } = KEYS.read(row);
    return {
      id,
      accountId,
      wallet,
      above,
      countedAbove,
      depth,
      reserveId,
      maker: present(row.maker),
      developer: present(row.developer),
      banned: row.banned,
      exchanged: present(row.exchanged),
      levels: row.levels.map((level) => ({
        id: level.id,
        scopes: present(level.scopes),
        ended: present(level.ended),
      })),
    };
  }

  /** Finds the earlier keys that still work: with this secret, enabled and not expired, like all keys above them. */
  async livingAmong(proofs: readonly string[]): Promise<ReadonlySet<string>> {
    if (proofs.length === 0) return new Set();
    const rows = await this.db.rows<{ proof: string }>(
      'select proof from unnest($1::text[]) as proof where payer_lives(proof)',
      [proofs],
      'key-living-among',
    );
    return new Set(rows.map(({ proof }) => proof));
  }
}
