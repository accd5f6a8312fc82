import './team/in-the-list';

import { expectEventually } from '../support/eventually';
import { World } from '../support/world';
import { Notes, Ran } from './team/team.queues';

describe("a team's queue and scheduled work", () => {
  let world: World;
  let ran: Ran;

  beforeAll(async () => {
    world = await World.start();
    ran = world.app.get(Ran, { strict: false });
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('runs jobs of a queue that BullModule registers', async () => {
    await world.app.get(Notes, { strict: false }).queue.add('one note', {});

    await expectEventually(() => ran.jobs.includes('one note'));
  });

  it("repeats with BullMQ's own scheduler", async () => {
    const { queue } = world.app.get(Notes, { strict: false });
    await queue.upsertJobScheduler('each second', { every: 1_000 }, { name: 'again' });

    await expectEventually(() => ran.jobs.filter((name) => name === 'again').length >= 2);
    await queue.removeJobScheduler('each second');
  });

  it('runs a ScheduledProcessor under its name', async () => {
    await expectEventually(() => ran.jobs.filter((name) => name === 'note-sweep').length >= 2);
  });
});
