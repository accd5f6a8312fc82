import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One function for all statements that hold or reserve money decides whether a payer may still pay. A call proves its
 * payer first and is then prepared. A key, a session or an account may end meanwhile, so the statement that holds the
 * money checks again.
 */
export class LivePayers1764000002810 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // The check uses the secret of the call, so that an old secret is refused once its exchange is over.
    await db.query(`
      create function key_lives(asked text, secret bytea) returns boolean language sql stable as $$
        select exists (
          select from api_key k left join account a on a.id = k.account_id
          where k.id = asked and a.banned_at is null
            and (secret is null or k.hash = secret or k.previous_hash = secret and k.previous_until > now())
            and not exists (
              select from api_key level where level.id = any(k.above || k.id)
                and (level.deleted_at is not null or not level.enabled or level.expires_at <= now())))
      $$`);
    await db.query(`
      create function payer_lives(proof text) returns boolean language sql stable as $$
        select case split_part(proof, ' ', 1)
          when 'key' then key_lives(split_part(proof, ' ', 2), decode(split_part(proof, ' ', 3), 'base64'))
          when 'session' then exists (
            select from session s join account o on o.id = split_part(proof, ' ', 3)
            where s.token_hash = decode(split_part(proof, ' ', 2), 'hex') and s.expires_at > now()
              and o.banned_at is null and may_have_keys(o.id, s.account_id))
          else false end
      $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('drop function payer_lives, key_lives');
  }
}
