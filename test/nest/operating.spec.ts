import './team/in-the-list';

import { World } from '../support/world';

describe('what a NestJS team operates', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  it('finds its own counters of prom-client at /metrics', async () => {
    await world.post('/v1/team/observed/counted', {});

    const { body: text } = await world.get('/metrics');

    expect(text).toContain('# TYPE team_notes_total counter\nteam_notes_total{colour="red"} 1\n');
    expect(text).toContain('# TYPE lamppost_charges_total counter');
  });
});
