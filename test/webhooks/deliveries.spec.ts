import { createPublicKey, verify } from 'node:crypto';

import { Webhook } from 'standardwebhooks';

import { EventSequencer } from '#notices/outbox/event-sequencer';
import { WebhookDeliveryRepository } from '#notices/webhooks/webhook-delivery.repository';
import { WebhookRetentionProcessor } from '#notices/webhooks/webhook-retention.processor';
import { WebhookSweepProcessor } from '#notices/webhooks/webhook-sweep.processor';
import { KeyCaller, WalletCaller } from '../support/caller';
import { codeIn, runTypeScript } from '../support/code-blocks';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';
import { type WebhookMessage, Receiver, answering, resetting, silent } from './receiver';
import { refusedOrigin } from '../support/closed-port';

const AN_IMAGE = { prompt: 'A lamp' };

describe('webhooks', () => {
  let world: World;
  let url: string;
  let caller: KeyCaller;
  let headers: Record<string, string>;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    world = await World.start({ FETCH_ALLOW_HOSTS: '127.0.0.1,127.0.0.2' });
    url = await world.listen();
  });
  beforeEach(async () => {
    caller = await KeyCaller.register(world, 10_000_000n);
    headers = { 'x-api-key': caller.key };
  });
  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
    const ofOthers = await world.db.rows(
      `select d.event_id from webhook_delivery d join webhook_endpoint e on e.id = d.target where d.owner <> e.owner`,
    );
    expect(ofOthers).toEqual([]);
    await world.expectBooksToBalance();
  });
  afterAll(() => world.stop());

  const receive = async (host?: string): Promise<Receiver> => {
    const receiver = await new Receiver().start(host);
    receivers.push(receiver);
    return receiver;
  };

  const register = async (at: string, more: object = {}) => {
    const made = await world.post('/v1/agent/webhooks', { url: at, ...more }, headers);
    expect(made.status).toBe(201);
    return made.body as { id: string; secret: string };
  };

  const makeImage = (more: object = {}) =>
    world.post('/v1/agent/generate', { ...AN_IMAGE, ...more }, headers);

  const deliveriesOf = async (id: string) =>
    (await world.get(`/v1/agent/webhooks/${id}/deliveries`, headers)).body.deliveries as {
      eventId: string;
      type: string;
      state: string;
      tries: number;
      lastStatus?: number;
      lastError?: string;
      nextTryAt?: string;
    }[];

  /** Makes waiting deliveries due, without waiting for the next sweep. */
  const passTime = async (seconds: number): Promise<void> => {
    await world.db.rows(
      `update webhook_delivery set due_at = due_at - make_interval(secs => $1),
         first_tried_at = first_tried_at - make_interval(secs => $1) where state = 'pending'`,
      [seconds],
    );
    await world.app.get(WebhookSweepProcessor, { strict: false }).run();
  };

  const isSignedByService = async ({ id, headers: said, body }: WebhookMessage): Promise<boolean> => {
    const { keys } = (await world.get('/.well-known/jwks.json')).body;
    const signature = /v1a,(\S+)/.exec(said['webhook-signature'] ?? '')?.[1] ?? '';
    const key = createPublicKey({ key: keys[1], format: 'jwk' });
    const signed = Buffer.from(`${id}.${said['webhook-timestamp']}.${body}`);
    return verify(null, signed, key, Buffer.from(signature, 'base64'));
  };

  it('bring each event of an owner, signed so that the official library and everybody else can check it', async () => {
    const receiver = await receive();
    const { id, secret } = await register(receiver.url);

    await makeImage();

    await expectEventually(() => receiver.received.length === 3);
    expect([...receiver.types].sort()).toEqual(['charge.charged', 'job.accepted', 'job.done']);
    for (const received of receiver.received) {
      const read = new Webhook(secret).verify(received.body, received.headers) as {
        id: string;
        data: object;
      };
      expect(read.id).toBe(received.id);
      expect(await isSignedByService(received)).toBe(true);
      expect(await isSignedByService({ ...received, body: `${received.body} ` })).toBe(false);
    }
    await expectEventually(async () =>
      (await deliveriesOf(id)).every(({ state, lastStatus }) => state === 'delivered' && lastStatus === 200),
    );
  });

  it('are verified by the code of the guide', async () => {
    const receiver = await receive();
    await makeImage({ webhookUrl: receiver.url });
    await expectEventually(() => receiver.received.length === 1);
    const [received] = receiver.received;
    const guide = String((await world.get('/v1/agent/guide.md')).body);
    const section = guide.slice(guide.indexOf('## Webhooks'), guide.indexOf('## Errors'));

    const { output, errors } = await runTypeScript(
      `import { createPublicKey, verify } from 'node:crypto';
      ${codeIn(section, 'ts')}
      const { headers, body } = JSON.parse(process.env.RECEIVED ?? '');
      const late = { ...headers, 'webhook-timestamp': String(Date.now() / 1_000 - 400) };
      console.log(isFromLamppost(headers, body), isFromLamppost(headers, body + ' '), isFromLamppost(late, body));
      console.log(isFromLamppost({}, body));`,
      { RECEIVED: JSON.stringify(received) },
    );

    expect(errors).toBe('');
    expect(output).toBe('true false false\nfalse\n');
  });

  it('send only the types that were asked for', async () => {
    const [all, some] = [await receive(), await receive()];
    await register(all.url);
    await register(some.url, { types: ['job.done'] });

    await makeImage();

    await expectEventually(() => all.received.length === 3);
    await expectEventually(() => some.received.length > 0);
    expect(some.types).toEqual(['job.done']);
  });

  it.each([
    ['answers with an error', answering(500), { lastStatus: 500 }],
    ['redirects', answering(302, { location: 'http://127.0.0.1/' }), { lastStatus: 302 }],
    ['resets the connection', resetting, { lastError: 'its host did not answer, or broke off' }],
  ])('are brought again with the same id to one who %s', async (_, manner, said) => {
    const receiver = await receive();
    receiver.manner = manner;
    const { id } = await register(receiver.url, { types: ['job.done'] });
    await makeImage();
    await expectEventually(async () => (await deliveriesOf(id))[0]?.tries === 1);
    const [waiting] = await deliveriesOf(id);
    expect(waiting).toMatchObject({ state: 'pending', ...said });
    const pause = new Date(waiting?.nextTryAt ?? 0).getTime() - Date.now();
    expect(pause).toBeLessThan(6_100);

    receiver.manner = answering(200);
    await passTime(10);

    await expectEventually(async () => (await deliveriesOf(id))[0]?.state === 'delivered');
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ id: eventId }) => eventId)).size).toBe(1);
  });

  it('leave an endpoint alone that asks for it, with all that is due there', async () => {
    const receiver = await receive();
    receiver.manner = answering(429, { 'retry-after': '3600' });
    const { id } = await register(receiver.url, { types: ['job.done'] });
    await makeImage();
    await expectEventually(async () => (await deliveriesOf(id))[0]?.lastStatus === 429);
    const [first] = await deliveriesOf(id);
    receiver.manner = answering(200);

    await makeImage();
    await expectEventually(async () => (await deliveriesOf(id)).length === 2);
    expect(new Date(first?.nextTryAt ?? 0).getTime()).toBeGreaterThan(Date.now() + 3_500_000);
    expect(receiver.received).toHaveLength(1);
    await world.db.rows(`update webhook_endpoint set rest_until = now() where id = $1`, [id]);
    await passTime(3_700);

    await expectEventually(() => receiver.received.length === 3);
    expect(new Set(receiver.received.map(({ id: eventId }) => eventId)).size).toBe(2);
  });

  it('are sent again although the first try is answered after the owner asked for it', async () => {
    const receiver = await receive();
    let answer = (): void => undefined;
    receiver.manner = (response) => void (answer = () => response.writeHead(204).end());
    const { id } = await register(receiver.url, { types: ['job.done'] });
    await makeImage();
    await expectEventually(() => receiver.received.length === 1);
    const [{ id: eventId }] = receiver.received as [WebhookMessage];

    // The answer of the running try is stored before a worker takes the delivery again.
    const deliveries = world.app.get(WebhookDeliveryRepository, { strict: false });
    const take = jest.spyOn(deliveries, 'take').mockResolvedValue([]);
    const finish = deliveries.finish.bind(deliveries);
    let isStored = false;
    const store = jest.spyOn(deliveries, 'finish').mockImplementation(async (finished) => {
      await finish(finished);
      isStored = true;
    });
    const path = `/v1/agent/webhooks/${id}/deliveries/${eventId}/replay`;
    expect((await world.post(path, {}, headers)).status).toBe(202);
    receiver.manner = answering(204);
    answer();
    await expectEventually(() => isStored);
    for (const spy of [take, store]) spy.mockRestore();
    await world.app.get(WebhookSweepProcessor, { strict: false }).run();

    await expectEventually(() => receiver.received.length === 2);
    expect(receiver.received[1]?.id).toBe(eventId);
    await expectEventually(async () => (await deliveriesOf(id))[0]?.state === 'delivered');
  });

  it('end at 410: the endpoint is disabled, its owner is notified, and later events are sent only by replay', async () => {
    const [going, staying] = [await receive(), await receive()];
    going.manner = answering(410);
    const { id } = await register(going.url, { types: ['job.done'] });
    await register(staying.url, { types: ['webhook.disabled'] });

    await makeImage();

    await expectEventually(() => staying.received.length === 1);
    expect(JSON.parse(staying.received[0]!.body).data).toMatchObject({
      id,
      url: going.url,
      enabled: false,
      disabledReason: 'gone',
    });
    expect((await world.get(`/v1/agent/webhooks/${id}`, headers)).body).toMatchObject({
      enabled: false,
      disabledReason: 'gone',
    });
    going.manner = answering(200);
    const made = [await makeImage(), await makeImage()];
    expect(made.map(({ status }) => status)).toEqual([200, 200]);
    await world.app.get(WebhookSweepProcessor, { strict: false }).run();
    const [{ id: missed }] = (await world.db.rows<{ id: string }>(
      `select id from event where type = 'job.done' and owner = $1 order by created_at desc limit 1`,
      [caller.accountId],
    )) as [{ id: string }];
    const replay = `/v1/agent/webhooks/${id}/deliveries/${missed}/replay`;
    expect((await world.post(replay, {}, headers)).body.error.code).toBe('WEBHOOK_DISABLED');
    await world.send({
      method: 'PATCH',
      url: `/v1/agent/webhooks/${id}`,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify({ enabled: true }),
    });
    expect((await world.post(replay, {}, headers)).status).toBe(202);

    await expectEventually(() => going.received.length === 2);
    expect(going.received[1]?.id).toBe(missed);
    expect(await deliveriesOf(id)).toHaveLength(2);
    const operator = { authorization: `Bearer ${world.settings.admins[0]!.token}` };
    const retry = (eventId: string) =>
      world.post(`/v1/admin/webhooks/${id}/deliveries/${eventId}/retry`, {}, operator);
    expect([(await retry(missed)).status, (await retry('evt_nonsense')).status]).toEqual([202, 404]);
    await expectEventually(() => going.received.length === 3);
    expect((await world.get('/v1/admin/audit', operator)).body.entries[1]).toMatchObject({
      action: 'retry_webhook',
      subject: `${id} ${missed}`,
    });
  });

  it('outlast an hour of outage, and one of a day ends the endpoint', async () => {
    const receiver = await receive();
    receiver.manner = resetting;
    const { id } = await register(receiver.url, { types: ['job.done'] });
    await makeImage();
    for (const tries of [1, 2, 3, 4, 5]) {
      await expectEventually(async () => (await deliveriesOf(id))[0]?.tries === tries);
      await passTime(2_200);
    }
    receiver.manner = answering(200);
    await passTime(4_400);
    await expectEventually(async () => (await deliveriesOf(id))[0]?.state === 'delivered');
    expect((await world.get(`/v1/agent/webhooks/${id}`, headers)).body.failingSince).toBeUndefined();

    receiver.manner = answering(503);
    await makeImage();
    await expectEventually(async () => (await deliveriesOf(id))[0]?.tries === 1);
    await world.db.rows(
      `update webhook_endpoint set failing_since = failing_since - interval '24 hours' where id = $1`,
      [id],
    );
    await passTime(86_400);

    await expectEventually(async () => (await deliveriesOf(id))[0]?.state === 'failed');
    expect((await world.get(`/v1/agent/webhooks/${id}`, headers)).body).toMatchObject({
      enabled: false,
      disabledReason: 'failing',
    });
  });

  it('go to the webhookUrl of a call: its last event, signed by the service alone, six times at the most', async () => {
    const receiver = await receive();
    receiver.manner = answering(500);
    const quoted = await world.post('/v1/agent/quote', { modelId: 'ember-image' });

    const made = await makeImage({ webhookUrl: `${receiver.url}?job=1`, modelId: 'ember-image' });

    expect(Number(made.headers['x-charge-micro'])).toBe(quoted.body.priceMicro);
    for (let tries = 1; tries <= 6; tries += 1) {
      await expectEventually(() => receiver.received.length === tries);
      await expectEventually(async () => {
        const [row] = await world.db.rows<{ tries: number }>(
          `select tries from webhook_delivery where target = 'call' and owner = $1`,
          [caller.accountId],
        );
        return row?.tries === tries;
      });
      await passTime(4_000);
    }
    const [row] = await world.db.rows(
      `select state, tries from webhook_delivery where target = 'call' and owner = $1`,
      [caller.accountId],
    );
    expect(row).toEqual({ state: 'failed', tries: 6 });
    const [received] = receiver.received;
    expect(received?.type).toBe('job.done');
    expect(received?.headers['webhook-signature']).toMatch(/^v1a,\S+$/);
    expect(await isSignedByService(received!)).toBe(true);
    expect(JSON.stringify(JSON.parse(received!.body))).not.toContain('webhook');
  });

  it('wait for nobody on other hosts, and for nobody else on the same one', async () => {
    const [dead, sameHost, otherHost] = [await receive(), await receive(), await receive('127.0.0.2')];
    dead.manner = silent;
    await register(dead.url);
    await makeImage();
    await makeImage();
    await expectEventually(() => dead.received.length === 4);
    const neighbour = await KeyCaller.register(world, 1_000_000n);
    const theirs = { 'x-api-key': neighbour.key };
    await world.post('/v1/agent/webhooks', { url: sameHost.url, types: ['job.done'] }, theirs);
    await register(otherHost.url, { types: ['job.done'] });

    await world.post('/v1/agent/generate', AN_IMAGE, theirs);
    await makeImage();

    await expectEventually(() => sameHost.received.length === 1 && otherHost.received.length === 1);
    expect(dead.received).toHaveLength(4);
  });

  it.each([
    ['was ten minutes ahead of the clock', 600_000],
    ['was set ten minutes ahead during its delivery', -40_000],
  ])('wait for no worker that has died and %s', async (_, takenAt) => {
    const receiver = await receive('127.0.0.2');
    await register(receiver.url, { types: ['job.done'] });
    const now = `(extract(epoch from now()) * 1000)::bigint`;
    await expectEventually(async () => {
      const held = await world.db.rows(
        `select from bullmq.dedup where queue = 'webhooks' and dedup_id = '127.0.0.2'`,
      );
      return held.length === 0;
    });
    await world.db.rows(
      `with dead as (
         insert into bullmq.job (queue, id, seq, name, state, data, opts, added_at_ms, processed_at_ms, lock_token,
           locked_until_ms, dedup_id)
         values ('webhooks', 'of-the-dead', nextval('bullmq.job_seq'), 'turn', 'active', '{"host":"127.0.0.2"}',
           '{"attempts":1,"removeOnFail":true,"deduplication":{"id":"127.0.0.2","keepLastIfActive":true}}', ${now} + ${takenAt},
           ${now} + ${takenAt}, 'the dead', ${now} + 610000, '127.0.0.2')
         returning id, dedup_id
       ) insert into bullmq.dedup (queue, dedup_id, job_id) select 'webhooks', dedup_id, id from dead`,
    );

    await makeImage();

    await expectEventually(() => receiver.received.length === 1);
  });

  it('are made of all that happened, however much it is at once', async () => {
    const { id } = await register('https://example.com/hook', { types: ['spend.high'] });
    await world.db.rows(`update webhook_endpoint set rest_until = now() + interval '1 hour' where id = $1`, [
      id,
    ]);
    await world.db.rows(
      `insert into event (id, owner, type, data)
       select 'evt_' || $1 || n, $1, 'spend.high', '{}' from generate_series(1, 2500) n`,
      [caller.accountId],
    );

    await expectEventually(async () => {
      const row = await world.db.one<{ count: string }>(
        'select count(*) from webhook_delivery where target = $1',
        [id],
      );
      return row?.count === '2500';
    });
  });

  it('never reach what only this machine can see', async () => {
    const { id } = await register('https://example.com/hook', { types: ['job.done'] });
    await world.db.rows(`update webhook_endpoint set url = 'http://127.0.0.9/hook' where id = $1`, [id]);

    await makeImage();

    await expectEventually(async () => (await deliveriesOf(id))[0]?.tries === 1);
    expect((await deliveriesOf(id))[0]?.lastError).toBe('only https addresses are fetched');
  });

  it('go to the webhookUrl of a stranger who pays by x402, once for the same call', async () => {
    const receiver = await receive();
    const stranger = new WalletCaller();
    const pay = stranger.payingFetch();
    const call = (more: object = {}): RequestInit => ({
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'told-once-1' },
      body: JSON.stringify({ ...AN_IMAGE, webhookUrl: receiver.url, ...more }),
    });

    const [first, again] = [
      await pay(`${url}/v1/agent/generate`, call()),
      await pay(`${url}/v1/agent/generate`, call()),
    ];

    expect([first.status, again.status]).toEqual([200, 200]);
    const dry = await world.post(
      '/v1/agent/generate',
      { ...AN_IMAGE, webhookUrl: receiver.url, dryRun: true },
      headers,
    );
    expect(dry.body.dryRun).toBe(true);
    await expectEventually(() => receiver.received.length === 1);
    expect(await isSignedByService(receiver.received[0]!)).toBe(true);
    const reported = await world.db.rows(`select 1 from webhook_delivery where owner = $1`, [
      stranger.wallet.toLowerCase(),
    ]);
    expect(reported).toHaveLength(1);
  });

  it('are none for an account that was banned, not of what waits and not of what happens then', async () => {
    const receiver = await receive();
    receiver.manner = answering(503);
    const { id } = await register(receiver.url, { types: ['job.done'] });
    await makeImage({ webhookUrl: receiver.url });
    await expectEventually(() => receiver.received.length === 2);
    await expectEventually(async () => (await deliveriesOf(id))[0]?.tries === 1);

    await world.db.rows('update account set banned_at = now() where id = $1', [caller.accountId]);
    receiver.manner = answering(200);
    await world.db.rows(
      `insert into event (id, owner, type, data) values ('evt_' || $1 || '.d', $1, 'job.done', $2)`,
      [caller.accountId, { id: 'job_x', webhook_url: receiver.url }],
    );
    await world.app.get(EventSequencer, { strict: false }).assignAnyway();
    await passTime(3_600);
    await world.app.get(WebhookRetentionProcessor, { strict: false }).run();

    const left = await world.db.rows('select state, last_error from webhook_delivery where owner = $1', [
      caller.accountId,
    ]);
    const closed = { state: 'failed', last_error: 'the account was closed' };
    expect(left).toEqual([closed, closed]);
    expect(receiver.received).toHaveLength(2);
  });

  it('leave nothing behind that was made while its endpoint went', async () => {
    const { id } = await register(`${await refusedOrigin()}/`, { types: ['job.done'] });
    const stray = (target: string): Promise<unknown> =>
      world.db.rows(
        `insert into webhook_delivery (target, event_id, type, owner, host, position, written, due_at)
         values ($1, 'evt_stray', 'job.done', $2, '127.0.0.1', 0, 0, now() + interval '1 hour')`,
        [target, caller.accountId],
      );
    await stray('whe_that_is_gone');
    await stray(id);
    await world.db.rows(
      `update webhook_endpoint set enabled = false, disabled_reason = 'owner' where id = $1`,
      [id],
    );

    await world.app.get(WebhookRetentionProcessor, { strict: false }).run();

    const left = await world.db.rows(
      `select target, state from webhook_delivery where event_id = 'evt_stray'`,
    );
    expect(left).toEqual([{ target: id, state: 'failed' }]);
  });
});
