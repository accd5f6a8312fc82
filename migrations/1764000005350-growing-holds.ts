import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `mayChange` is the condition under which the price of a held charge by usage may change. */
const movesForward = (mayChange: string): string => `
      create or replace function charge_moves_forward() returns trigger language plpgsql as $$
      begin
        if old.state <> new.state and (old.state, new.state) not in (
          ('held', 'settling'), ('held', 'charged'), ('held', 'released'),
          ('settling', 'charged'), ('settling', 'released'), ('charged', 'refunded')
        ) then
          raise exception 'a charge can not go from % to %', old.state, new.state using errcode = 'LP004';
        end if;
        if (old.id, old.rail, old.operation, old.payer, old.account_id, old.key_id, old.created_at, old.fingerprint, old.mark)
          is distinct from
           (new.id, new.rail, new.operation, new.payer, new.account_id, new.key_id, new.created_at, new.fingerprint, new.mark)
          or (new.price_micro <> old.price_micro
              and not (old.operation = 'studio' and old.state = 'held' and ${mayChange}))
        then
          raise exception 'what a charge is about can not change' using errcode = 'LP004';
        end if;
        return new;
      end $$`;

/**
 * The hold of a call that is charged by usage grows while its answer is written, up to its list price. Only a prepaid charge that stays
 * held may grow.
 */
export class GrowingHolds1764000005350 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(
      movesForward(`(new.price_micro < old.price_micro
                or new.state = 'held' and old.account_id is not null and new.list_micro = old.list_micro
                  and new.price_micro <= new.list_micro)`),
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(movesForward('new.price_micro < old.price_micro'));
  }
}
