import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Postgres makes the leaves of the transparency log, so that no serving process hashes them (ADR 154). */
export class Sealing1764000005600 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `create type transparency_fact as (
         entry_id text, account_id text, owner text, kind text, amount bigint, balance bigint, seq bigint,
         at timestamptz)`,
    );
    // The ledger can commit entries of an account in a different order than their numbers. `slot` moves an entry before
    // the first entry with a higher number, and entries that the facts lack are read from the ledger. A row without a
    // leaf is an entry whose predecessor is not in the ledger.
    await db.query(
      `create function transparency_leaves(of_log integer, salt_key bytea, facts transparency_fact[])
       returns table (slot bigint, entry_id text, owner text, seq bigint, balance bigint, at timestamptz, salt bytea,
         commitment bytea, leaf bytea)
       language plpgsql as $$
       declare
         fact record;
         hash bytea;
       begin
         for fact in
           with given as (select f.* from unnest(facts) with ordinality
             as f (entry_id, account_id, owner, kind, amount, balance, seq, at, place)),
           account as (select g.account_id, g.owner, count(*) as known, max(g.seq) as reach
             from given g where g.seq is not null group by g.account_id, g.owner),
           missing as (
             select e.account_id || '/' || e.seq, e.account_id, a.owner, e.kind, e.amount_micro, e.balance_after_micro, e.seq,
               date_trunc('milliseconds', e.created_at), null::bigint
             from account a
             cross join lateral (select coalesce((select l.seq from transparency_leaf l
               where l.log_id = of_log and l.owner = a.owner order by l.leaf_index desc limit 1), 0) as seq) as sealed
             join ledger_entry e on e.account_id = a.account_id and e.seq > sealed.seq and e.seq < a.reach
             where a.known <> a.reach - sealed.seq)
           select f.*, case when f.seq is null then f.place else min(f.place) filter (where f.seq is not null)
             over (partition by f.owner order by f.seq desc nulls last) end as before
           from (select * from given union all select * from missing) as f
           order by f.owner, before, f.seq
         loop
           if owner is distinct from fact.owner then
             owner := fact.owner;
             select l.seq, l.balance_micro, sha256('\\x00'::bytea || l.commitment) into seq, balance, hash
             from transparency_leaf l where l.log_id = of_log and l.owner = fact.owner
             order by l.leaf_index desc limit 1;
             seq := coalesce(seq, 0);
             balance := coalesce(balance, 0);
           end if;
           continue when fact.seq <= seq;
           entry_id := fact.entry_id;
           slot := fact.before;
           leaf := null;
           if fact.seq is null or fact.seq = seq + 1 then
             seq := coalesce(fact.seq, seq);
             balance := coalesce(fact.balance, balance);
             at := fact.at;
             salt := sha256(salt_key || convert_to(entry_id, 'UTF8'));
             commitment := sha256(salt || convert_to('{"amountMicro":' || fact.amount
               || ',"at":"' || to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
               || '","balanceMicro":' || balance || ',"id":' || to_json(entry_id) || ',"kind":' || to_json(fact.kind)
               || ',"owner":' || to_json(owner) || ',"previous":"' || coalesce(encode(hash, 'base64'), '') || '"}', 'UTF8'));
             hash := sha256('\\x00'::bytea || commitment);
             leaf := hash;
           end if;
           return next;
         end loop;
       end $$`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      'drop function transparency_leaves(integer, bytea, transparency_fact[]); drop type transparency_fact',
    );
  }
}
