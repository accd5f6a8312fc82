import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a payer may still pay, said once for all statements that take or set aside money. A call proves its payer before it
 * prepares, and a key, a session or an account may end meanwhile: the statement that holds the money asks again.
 */
export class LivePayers1764000002810 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // A key lives by the secret that the call came with, so that an exchanged secret ends with the exchange.
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
