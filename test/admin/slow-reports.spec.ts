import { World } from '../support/world';

const ADMIN = { authorization: 'Bearer an-admin-token-for-tests' };

describe('a report to operators', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  it('may take longer than a call, when the database is busy', async () => {
    await world.db.rows('alter table vendor_cost_day rename to quick_vendor_cost_day');
    await world.db.rows(`create function slowly() returns setof quick_vendor_cost_day language plpgsql as $$
      begin perform pg_sleep(2); end $$`);
    await world.db.rows('create view vendor_cost_day as select * from slowly()');
    const { status } = await world.get('/v1/admin/margins', ADMIN);
    await world.db.rows('drop view vendor_cost_day; drop function slowly');
    await world.db.rows('alter table quick_vendor_cost_day rename to vendor_cost_day');
    expect(status).toBe(200);
  });
});
