import type { ServerResponse } from 'node:http';

import { WebhookSweepProcessor } from '#notices/webhooks/webhook-sweep.processor';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { LoopbackServer } from '../support/loopback-server';
import { World } from '../support/world';
import { Receiver } from './receiver';

/** The concurrent deliveries of a process. */
const DELIVERIES_AT_ONCE = 200;
const HOSTS = 240;
const hostOf = (n: number): string => `127.0.2.${n + 1}`;

/** Receives each message and never answers. */
class Silence extends LoopbackServer {
  hanging = 0;
  /** The highest number of concurrent messages. */
  most = 0;

  protected serve(_: unknown, response: ServerResponse): void {
    this.hanging += 1;
    this.most = Math.max(this.most, this.hanging);
    response.once('close', () => (this.hanging -= 1));
  }
}

describe('the receivers of one owner that all hang', () => {
  let world: World;
  let silence: Silence;
  let receiver: Receiver;

  beforeAll(async () => {
    silence = await new Silence().start('0.0.0.0');
    receiver = await new Receiver().start();
    const hosts = Array.from({ length: HOSTS }, (_, n) => hostOf(n));
    world = await World.start({ FETCH_ALLOW_HOSTS: ['127.0.0.1', ...hosts].join(',') });
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await silence.stop();
    await receiver.stop();
  });

  it('hold up no event of a neighbour', async () => {
    const [one, other] = [
      await KeyCaller.register(world, 1_000_000n),
      await KeyCaller.register(world, 1_000_000n),
    ];
    const made = await world.post('/v1/agent/webhooks', { url: receiver.url }, { 'x-api-key': other.key });
    expect(made.status).toBe(201);
    const { port } = new URL(silence.origin);
    await world.db.rows(
      `with hanging as (
         insert into event (id, owner, type, data)
         select 'evt_hanging_' || n, $1, 'balance.low', '{}' from generate_series(0, $3::int - 1) n returning id, owner, type)
       insert into webhook_delivery (target, event_id, type, owner, host, url, position, written, due_at)
       select 'call', id, type, owner, h.host, format('http://%s:%s/', h.host, $2::text), 0, 0, now()
       from hanging join (select 'evt_hanging_' || n as event_id, '127.0.2.' || (n + 1) as host
         from generate_series(0, $3::int - 1) n) h on h.event_id = hanging.id`,
      [one.accountId, port, HOSTS],
    );
    await world.app.get(WebhookSweepProcessor, { strict: false }).run();
    await expectEventually(() => silence.hanging >= 50);

    await world.db.rows(
      `insert into event (id, owner, type, data) values ('evt_neighbour', $1, 'balance.low', '{}')`,
      [other.accountId],
    );
    await expectEventually(() => receiver.received.some(({ id }) => id === 'evt_neighbour'));

    // The other owner's message arrived before any delivery of the first owner timed out.
    expect(silence.most).toBeLessThan(DELIVERIES_AT_ONCE);
    await world.db.rows('delete from webhook_delivery');
  });
});
