import { BatchSweepProcessor } from '#work/batches/batch-sweep.processor';
import { World } from '../support/world';

describe('a batch that a process of the version before has ended', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterAll(() => world.stop());

  const file = (id: string) =>
    world.db.rows(
      `insert into batch_file (id, owner, purpose, filename, ready_at, expires_at)
       values ($1, 'acc_1', 'batch', 'f', now() - interval '31 days', now() - interval '1 day')`,
      [id],
    );

  it('keeps no expired file, of its owner or of others', async () => {
    await file('file_a');
    await file('file_b');
    await world.db.rows(
      `insert into batch (id, owner, paying_key_id, endpoint, input_file_id, open_file_id, status, held_micro,
         discount_percent, total, fingerprint, expires_at)
       values ('batch_a', 'acc_1', 'key_1', '/v1/chat/completions', 'file_a', 'file_a', 'in_progress', 1, 50, 1, '\\x00', now())`,
    );
    // The statement of the version before does not know \`open_file_id\`.
    await world.db.rows(`update batch set ended_at = now(), status = 'completed' where id = 'batch_a'`);

    await world.app.get(BatchSweepProcessor, { strict: false }).run();

    expect(await world.db.rows('select id from batch_file')).toEqual([]);
  });
});
