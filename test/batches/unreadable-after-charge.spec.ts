import { BatchWorker } from '#work/batches/batch-worker';
import { BatchVault } from '#work/batches/batch-vault';
import { KeyCaller } from '../support/caller';
import { catalogOf, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';

const ENDPOINT = '/v1/chat/completions';

describe('a line of a batch that cannot be read any more', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start(catalogOf([], [textEntry('other', ['sandbox:text'], { default: true })]));
  });
  afterAll(() => world.stop());

  it('keeps no charge of an earlier try', async () => {
    const caller = await KeyCaller.register(world, 50_000_000n);
    const form = new FormData();
    form.append('purpose', 'batch');
    form.append(
      'file',
      new Blob([
        `{"custom_id":"a","method":"POST","url":"${ENDPOINT}","body":{"messages":[{"role":"user","content":"x"}]}}`,
      ]),
      'c.jsonl',
    );
    const sent = new Response(form);
    const file = await world.send({
      method: 'POST',
      url: '/v1/files',
      headers: { 'x-api-key': caller.key, 'content-type': sent.headers.get('content-type')! },
      payload: Buffer.from(await sent.arrayBuffer()),
    });
    const vault = world.app.get(BatchVault, { strict: false });
    // The first try is charged, and its process dies before it stores the answer.
    const spy = jest.spyOn(vault, 'seal').mockImplementationOnce(() => {
      throw new Error('died');
    });
    const batch = await world.post(
      '/v1/batches',
      { input_file_id: file.body.id, endpoint: ENDPOINT, completion_window: '24h' },
      { 'x-api-key': caller.key },
    );
    expect(batch.status).toBe(200);
    await expectEventually(async () => spy.mock.calls.length > 0);
    await world.db.rows('delete from batch_file_line');
    await expectEventually(async () => {
      await world.db.rows(
        `update batch_line set lease_until = now() - interval '1 second' where state = 'running'`,
      );
      await world.app.get(BatchWorker, { strict: false }).run(caller.accountId);
      return (await world.db.rows<{ state: string }>('select state from batch_line'))[0]!.state === 'failed';
    });
    expect(await world.db.rows(`select state from charge where mark like 'key:%batch%'`)).toEqual([
      { state: 'refunded' },
    ]);
  });
});
