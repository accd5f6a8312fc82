import type { World } from './world';

/** Makes the deadline of every new job very near, whatever its model's deadline is, so that tests wait less. */
export const shortenDeadlines = async ({ db }: World, seconds: number): Promise<void> => {
  await db.rows(`
    create function near_deadline() returns trigger language plpgsql as $$ begin
      new.deadline_at := now() + make_interval(secs => ${seconds});
      new.poll_at := least(new.poll_at, new.deadline_at);
      return new;
    end $$`);
  await db.rows(
    'create trigger near_deadline before insert on job for each row execute function near_deadline()',
  );
};
