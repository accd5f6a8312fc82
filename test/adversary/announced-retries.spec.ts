import { setTimeout as pause } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';

import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { LoopbackServer } from '../support/loopback-server';
import { World } from '../support/world';
import { picture } from '../references/library-callers';

/** A server whose picture arrives when the test releases it. */
class SlowPictures extends LoopbackServer {
  asked = 0;
  private open: () => void = () => undefined;
  private gate = Promise.resolve();
  /** Whether the first request for a picture fails. Later ones succeed. */
  failing = false;

  hold(): void {
    this.gate = new Promise((resolve) => (this.open = resolve));
  }

  release(): void {
    this.open();
  }

  protected async serve(_: unknown, response: ServerResponse): Promise<void> {
    this.asked += 1;
    const fails = this.failing && this.asked === 1;
    await this.gate;
    if (fails) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { 'content-type': 'image/png' }).end(await picture('red'));
  }
}

describe('a call that is sent again while it still prepares', () => {
  let pictures: SlowPictures;
  let worlds: readonly World[];
  let caller: KeyCaller;

  beforeAll(async () => {
    pictures = await new SlowPictures().start();
    const first = await World.start({ FETCH_ALLOW_HOSTS: pictures.host, MEDIA_SYNC_SECONDS: '20' });
    const second = await World.start({
      FETCH_ALLOW_HOSTS: pictures.host,
      MEDIA_SYNC_SECONDS: '20',
      DATABASE_URL: first.settings.databaseUrl ?? '',
    });
    worlds = [first, second];
  });

  beforeEach(async () => {
    pictures.asked = 0;
    pictures.failing = false;
    caller = await KeyCaller.register(worlds[0]!, 10_000_000n);
  });

  afterEach(() => worlds[0]!.expectBooksToBalance());

  afterAll(async () => {
    for (const world of worlds) await world.stop();
    await pictures.stop();
  });

  const send = (world: World, headers: Record<string, string>, image = '/a.png') =>
    world.post(
      '/v1/agent/generate',
      { prompt: 'a fox', image: `${pictures.origin}${image}` },
      { 'x-api-key': caller.key, ...headers },
    );
  const retry = { 'x-stainless-retry-count': '1' };
  const debits = () =>
    worlds[0]!.db.rows(`select id from charge where payer = $1 and state <> 'released'`, [caller.accountId]);

  it.each([
    ['the same process', 0],
    ['another process', 1],
  ])('is charged once in %s', async (_, at) => {
    pictures.hold();
    const first = send(worlds[0]!, {});
    await expectEventually(() => pictures.asked === 1);
    const again = [send(worlds[at]!, retry), send(worlds[at]!, { 'x-stainless-retry-count': '2' })];
    await pause(600);
    pictures.release();

    const [one, ...others] = await Promise.all([first, ...again]);
    expect(one.status).toBe(200);
    for (const other of others) {
      expect(other.status).toBe(200);
      expect(other.headers['x-charge-id']).toBe(one.headers['x-charge-id']);
    }
    expect(pictures.asked).toBe(1);
    expect(await debits()).toHaveLength(1);
  });

  it('runs when the first one failed before it was charged', async () => {
    pictures.hold();
    pictures.failing = true;
    const first = send(worlds[0]!, {});
    await expectEventually(() => pictures.asked === 1);
    const again = send(worlds[1]!, retry);
    await pause(400);
    pictures.release();

    expect((await first).status).toBe(400);
    expect((await again).status).toBe(200);
    expect(await debits()).toHaveLength(1);
  });

  it('runs when the process of the first one died, and the first one is refused if it was only suspended', async () => {
    pictures.hold();
    const first = send(worlds[0]!, {});
    await expectEventually(() => pictures.asked === 1);
    await worlds[0]!.db.rows(`update call_underway set until = now() - interval '1 second'`);
    const again = send(worlds[1]!, retry);
    await expectEventually(() => pictures.asked === 2);
    pictures.release();

    const statuses = (await Promise.all([first, again])).map(({ status }) => status);
    expect(statuses).toEqual([409, 200]);
    expect(await debits()).toHaveLength(1);
  });

  it('is charged twice when nothing announces it, because it may be meant twice', async () => {
    const answers = await Promise.all([send(worlds[0]!, {}), send(worlds[1]!, {})]);

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await debits()).toHaveLength(2);
    expect(await worlds[0]!.db.rows('select id from call_underway')).toEqual([]);
  });
});
