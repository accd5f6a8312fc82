import { KeyCaller } from '../support/caller';
import { readEvents } from '../support/event-reader';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

describe('following one job', () => {
  let world: World;
  let base: string;
  let caller: KeyCaller;

  const start = async (prompt: string): Promise<string> => {
    const body = { modelId: 'torch-video', prompt };
    const made = await world.post('/v1/agent/generate', body, { 'x-api-key': caller.key });
    return String(made.body.jobId);
  };
  const follow = (id: string, headers: Readonly<Record<string, string>> = {}) =>
    readEvents(`${base}/v1/agent/jobs/${id}/events`, headers, () => false);

  beforeAll(async () => {
    world = await World.start();
    base = await world.listen();
    caller = await KeyCaller.register(world, 50_000_000n);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('begins with its acceptance, reports its progress, and ends after its end', async () => {
    const id = await start('Waves [[delay 2s]]');

    const { events, ended } = await follow(id);
    const again = await follow(id, { 'last-event-id': events[0]!.id! });

    expect(ended).toBe(true);
    expect(events[0]).toMatchObject({ event: 'job.accepted', data: { data: { id, status: 'running' } } });
    expect(events.at(-1)).toMatchObject({
      event: 'job.done',
      data: { data: { id, status: 'done', progress: 100 } },
    });
    const between = events.slice(1, -1);
    expect(between.length).toBeGreaterThan(0);
    expect(between.every((step) => step.event === 'job.progress' && step.id === undefined)).toBe(true);
    expect(again.events.map(({ event }) => event)).toEqual(['job.done']);
    expect(JSON.stringify(events)).not.toContain('ch_');
  });

  it('has the state of a job that is older than the log', async () => {
    const id = await start('Waves [[fail]]');
    const { events } = await follow(id);
    await world.db.rows('delete from event where owner = $1', [caller.accountId]);

    const { events: later } = await follow(id);

    expect(events.map(({ id: event }) => event).filter(Boolean)).toEqual(later.map(({ id: event }) => event));
    expect(later.map(({ event }) => event)).toEqual(['job.accepted', 'job.failed']);
  });

  it('waits for its end on both roads, and answers how it is when the wait is over', async () => {
    const id = await start('Waves [[delay 2s]]');
    const prefer = { prefer: 'wait=30' };

    const [job, video, short] = await Promise.all([
      world.get(`/v1/agent/jobs/${id}`, prefer),
      world.get(`/v1/agent/videos/${id}`, prefer),
      world.get(`/v1/agent/jobs/${id}`, { prefer: 'wait=1' }),
    ]);

    expect(job.body.status).toBe('done');
    expect(video.body.status).toBe('completed');
    expect(short.body.status).toBe('running');
  });

  it('is nothing for a job that was not charged yet, however long somebody waits', async () => {
    const making = world.post(
      '/v1/agent/generate',
      { modelId: 'ember-image', prompt: 'A lamp [[delay 2s]]' },
      { 'x-api-key': caller.key },
    );
    let id: string | undefined;
    await expectEventually(async () => {
      const [job] = await world.db.rows<{ id: string }>(`select id from job where kind = 'image'`);
      return (id = job?.id) !== undefined;
    });

    const wait = await world.get(`/v1/agent/jobs/${id}`, { prefer: 'wait=30' });
    const stream = await fetch(`${base}/v1/agent/jobs/${id}/events`);

    expect([wait.status, stream.status]).toEqual([404, 404]);
    await making;
    expect((await follow(id!)).events.map(({ event }) => event)).toEqual(['job.accepted', 'job.done']);
  });
});
