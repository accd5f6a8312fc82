import type { World } from './world';

/** From now on the deadline of each job is so near, however far its model's is: what is waited for is the same, only sooner. */
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
