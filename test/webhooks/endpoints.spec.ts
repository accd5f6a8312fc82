import { WebhookRetentionProcessor } from '#notices/webhooks/webhook-retention.processor';
import { KeyCaller, WalletCaller } from '../support/caller';
import { CapturedLog } from '../support/captured-log';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';
import { Receiver, answering } from './receiver';

const PATH = '/v1/agent/webhooks';
const URL_OF_MINE = 'https://example.com/hook';

describe('webhook endpoints', () => {
  let world: World;
  let caller: KeyCaller;
  let mine: Record<string, string>;

  beforeAll(async () => {
    world = await World.start({ FETCH_ALLOW_HOSTS: '127.0.0.1', RATE_LIMIT_WEBHOOK_TESTS: '5' });
  });
  beforeEach(async () => {
    caller = await KeyCaller.register(world, 1_000_000n);
    mine = { 'x-api-key': caller.key };
  });
  afterAll(() => world.stop());

  const send = (method: 'PATCH' | 'DELETE', url: string, headers: object, body?: object): Promise<Answer> =>
    world.send({
      method,
      url,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { payload: JSON.stringify(body) }),
    });

  const create = async (body: object = {}, headers = mine) =>
    world.post(PATH, { url: URL_OF_MINE, ...body }, headers);

  it('are made, shown, changed and deleted by their owner, and show their secret once', async () => {
    const made = await create({ types: ['job.done'] });
    const { id, secret } = made.body;

    expect(made).toMatchObject({
      status: 201,
      body: { url: URL_OF_MINE, types: ['job.done'], enabled: true },
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(made.headers['cache-control']).toBe('no-store');
    const changed = await send('PATCH', `${PATH}/${id}`, mine, { url: `${URL_OF_MINE}/2`, enabled: false });
    expect(changed.body).toMatchObject({ url: `${URL_OF_MINE}/2`, enabled: false, disabledReason: 'owner' });
    const shown = await world.get(`${PATH}/${id}`, mine);
    expect(shown.body).toEqual(changed.body);
    const list = await world.get(PATH, mine);
    expect(list.body.webhooks).toEqual([shown.body]);
    expect(JSON.stringify([changed.body, list.body])).not.toContain('whsec_');
    expect((await send('DELETE', `${PATH}/${id}`, mine)).body).toEqual({ ok: true });
    expect((await world.get(`${PATH}/${id}`, mine)).status).toBe(404);
  });

  it('are made once by the same mark, however often it is sent', async () => {
    const marked = { ...mine, 'idempotency-key': 'my-webhook-1' };

    const [first, second] = await Promise.all([create({}, marked), create({}, marked)]);

    expect(second?.body).toEqual(first?.body);
    expect((await world.get(PATH, mine)).body.webhooks).toHaveLength(1);
    expect((await create({ url: `${URL_OF_MINE}/2` }, marked)).status).toBe(422);
  });

  it('are ten at the most, also when many are made at once', async () => {
    const answers = await Promise.all(Array.from({ length: 14 }, () => create()));

    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ body }) => body.error.code)).toEqual(Array(4).fill('TOO_MANY_WEBHOOKS'));
    const [{ id }] = (await world.get(PATH, mine)).body.webhooks;
    await send('DELETE', `${PATH}/${id}`, mine);
    expect((await create()).status).toBe(201);
  });

  it.each([
    'http://example.com/hook',
    'https://127.0.0.2/hook',
    'https://10.0.0.1/hook',
    'https://[::1]/hook',
    'https://[::ffff:127.0.0.1]/hook',
    'https://localhost/hook',
    'https://2130706434/hook',
    'https://metadata.google.internal/',
    'https://user:secret@example.com/',
    'https://example.com:8443/',
    'ftp://example.com/',
    `https://example.com/${'a'.repeat(2_048)}`,
    'example.com',
  ])('are refused at %s', async (url) => {
    const made = await create({ url });

    expect(made).toMatchObject({ status: 400, body: { error: { param: 'url' } } });
    const paid = await world.post('/v1/agent/generate', { prompt: 'A lamp', webhookUrl: url }, mine);
    expect(paid).toMatchObject({ status: 400, body: { error: { param: 'webhookUrl' } } });
    expect((await send('PATCH', `${PATH}/${(await create()).body.id}`, mine, { url })).status).toBe(400);
  });

  it('are for those who have paid something before', async () => {
    const stranger = await KeyCaller.register(world, 0n);
    const refused = await create({}, { 'x-api-key': stranger.key });
    expect(refused).toMatchObject({ status: 402, body: { error: { code: 'INSUFFICIENT_FUNDS' } } });
    expect(refused.body.topUp).toBeDefined();

    const wallet = await new WalletCaller().fund(world, 1_000_000n);
    expect((await create({}, { 'sign-in-with-x': await wallet.signIn(world) })).status).toBe(201);
    const { origin } = new URL(world.settings.http.publicUrl);
    expect((await create({}, { cookie: caller.cookie, origin })).status).toBe(201);
    expect((await create({}, { cookie: caller.cookie })).status).toBe(403);
    expect((await create({}, {})).status).toBe(401);
  });

  it("are nobody else's: a neighbour finds, changes, rotates, tests, lists and replays none", async () => {
    const { id } = (await create()).body;
    const neighbour = await KeyCaller.register(world, 1_000_000n);
    const theirs = { 'x-api-key': neighbour.key };
    await world.db.rows(
      `insert into event (id, owner, type, data) values ($1, $2, 'job.done', '{}'), ($3, $4, 'job.done', '{}')`,
      [`evt_${id}.d`, caller.accountId, `evt_of${id}.d`, neighbour.accountId],
    );
    const own = (await create({}, theirs)).body.id;

    const answers = await Promise.all([
      world.get(`${PATH}/${id}`, theirs),
      send('PATCH', `${PATH}/${id}`, theirs, { enabled: false }),
      send('DELETE', `${PATH}/${id}`, theirs),
      world.post(`${PATH}/${id}/rotate`, { overlapSeconds: 0 }, theirs),
      world.post(`${PATH}/${id}/test`, {}, theirs),
      world.get(`${PATH}/${id}/deliveries`, theirs),
      world.post(`${PATH}/${id}/deliveries/evt_${id}.d/replay`, {}, theirs),
      world.post(`${PATH}/${own}/deliveries/evt_${id}.d/replay`, {}, theirs),
      world.post(`${PATH}/${id}/deliveries/evt_of${id}.d/replay`, {}, theirs),
    ]);

    expect(answers.map(({ status }) => status)).toEqual(Array(9).fill(404));
    expect((await world.get(PATH, theirs)).body.webhooks).toHaveLength(1);
    expect((await world.get(`${PATH}/${id}`, mine)).body.enabled).toBe(true);
  });

  describe('with somebody there', () => {
    let receiver: Receiver;

    beforeEach(async () => {
      receiver = await new Receiver().start();
    });
    afterEach(() => receiver.stop());

    /** The number of signatures of the newest message. */
    const signatures = (): number =>
      receiver.received.at(-1)?.headers['webhook-signature']?.match(/v1,/g)?.length ?? 0;

    it('say what came of a test, and take five tests and replays a minute', async () => {
      const { id } = (await create({ url: receiver.url })).body;
      const test = () => world.post(`${PATH}/${id}/test`, {}, mine);

      expect((await test()).body).toMatchObject({
        delivered: true,
        status: 200,
        eventId: receiver.received[0]?.id,
      });
      receiver.manner = answering(410);
      expect((await test()).body).toMatchObject({ delivered: false, status: 410 });
      expect((await world.get(`${PATH}/${id}`, mine)).body.enabled).toBe(true);
      expect(receiver.types).toEqual(['webhook.test', 'webhook.test']);
      await test();
      await test();
      await world.post(`${PATH}/${id}/deliveries/evt_none/replay`, {}, mine);
      const limited = await test();
      expect(limited).toMatchObject({ status: 429, headers: { 'ratelimit-limit': '5' } });
      expect(receiver.received).toHaveLength(4);
    });

    it('sign with both secrets while a rotation overlaps, and give the same secret to the same mark', async () => {
      const { id, secret } = (await create({ url: receiver.url })).body;
      const rotate = (overlapSeconds: number, more: object = {}) =>
        world.post(`${PATH}/${id}/rotate`, { overlapSeconds }, { ...mine, ...more });

      const mark = { 'idempotency-key': 'rotate-once-1' };
      const [once, again] = [await rotate(60, mark), await rotate(60, mark)];
      expect(once).toMatchObject({ status: 200, body: { id } });
      expect(once.body.secret).not.toBe(secret);
      expect(again.body.secret).toBe(once.body.secret);
      await world.post(`${PATH}/${id}/test`, {}, mine);
      expect(signatures()).toBe(2);

      await rotate(0);
      await world.post(`${PATH}/${id}/test`, {}, mine);
      expect(signatures()).toBe(1);
    });

    it('never show a secret again that a later rotation has retired', async () => {
      const { id } = (await create({ url: receiver.url })).body;
      const rotate = (overlapSeconds: number, mark: string) =>
        world.post(`${PATH}/${id}/rotate`, { overlapSeconds }, { ...mine, 'idempotency-key': mark });
      expect((await rotate(60, 'rotate-first-1')).status).toBe(200);
      const second = await rotate(60, 'rotate-second-1');

      const retired = await rotate(60, 'rotate-first-1');
      expect([retired.status, retired.body.error.code]).toEqual([410, 'REPLAY_EXPIRED']);
      expect(retired.body.secret).toBeUndefined();
      expect((await rotate(60, 'rotate-second-1')).body.secret).toBe(second.body.secret);

      // This holds also after the old secrets have expired: a repeated call makes no further rotation.
      await rotate(0, 'rotate-third-1');
      const newest = await rotate(0, 'rotate-fourth-1');
      for (const [overlap, mark] of [
        [60, 'rotate-first-1'],
        [60, 'rotate-second-1'],
        [0, 'rotate-third-1'],
      ] as const)
        expect((await rotate(overlap, mark)).status).toBe(410);
      expect((await rotate(0, 'rotate-fourth-1')).body.secret).toBe(newest.body.secret);
      await world.post(`${PATH}/${id}/test`, {}, mine);
      expect(signatures()).toBe(1);
    });

    it('list their deliveries page by page, and replay one', async () => {
      const { id } = (await create({ url: receiver.url })).body;
      const ids = Array.from({ length: 5 }, (_, n) => `evt_page${caller.accountId}${n}`);
      await world.db.rows(
        `insert into event (id, owner, type, data) select unnest($1::text[]), $2, 'balance.low', '{}'`,
        [ids, caller.accountId],
      );
      await expectEventually(() => receiver.received.length === 5);
      await expectEventually(
        async () =>
          (await world.get(`${PATH}/${id}/deliveries?state=delivered`, mine)).body.deliveries.length === 5,
      );

      const seen: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await world.get(`${PATH}/${id}/deliveries?limit=2${cursor}`, mine);
        seen.push(...body.deliveries.map(({ eventId }: { eventId: string }) => eventId));
        if (body.nextCursor === undefined) break;
        cursor = `&cursor=${encodeURIComponent(body.nextCursor)}`;
      }

      expect(seen.sort()).toEqual(ids);
      const replayed = await world.post(`${PATH}/${id}/deliveries/${ids[0]}/replay`, {}, mine);
      expect(replayed).toMatchObject({ status: 202, body: { eventId: ids[0], type: 'balance.low' } });
      await expectEventually(
        () => receiver.received.filter((received) => received.id === ids[0]).length === 2,
      );
    });

    it('show what each try sent and received, to their own account only', async () => {
      receiver.manner = (response) => {
        const headers = { location: 'http://127.0.0.1:1/', 'set-cookie': 'session=1', 'x-request': 'r1' };
        response.writeHead(302, headers).end(`moved\u0000 \u001b[31m${'x'.repeat(5_000)}`);
      };
      const { id } = (await create({ url: receiver.url })).body;
      const { eventId } = (await world.post(`${PATH}/${id}/test`, {}, mine)).body;
      const acting = { cookie: caller.cookie, origin: new URL(world.settings.http.publicUrl).origin };

      const { body } = await world.get(`/v1/account/webhooks/${id}/tries`, acting);
      const [received] = receiver.received;
      expect(body.tries).toEqual([
        {
          id: expect.stringMatching(/^try_/),
          eventId,
          type: 'webhook.test',
          at: expect.any(String),
          durationMs: expect.any(Number),
          status: 302,
          payload: received?.body,
          requestHeaders: {
            'accept-encoding': 'identity',
            'content-type': 'application/json',
            'user-agent': 'Lamppost/1 (webhooks)',
            'webhook-id': eventId,
            'webhook-timestamp': received?.headers['webhook-timestamp'],
            'webhook-signature': received?.headers['webhook-signature'],
          },
          responseHeaders: expect.objectContaining({ 'x-request': 'r1', location: 'http://127.0.0.1:1/' }),
          responseBody: `moved [31m${'x'.repeat(2_036)}`,
        },
      ]);
      expect(body.tries[0].responseHeaders['set-cookie']).toBeUndefined();

      receiver.manner = answering(503);
      await world.post('/v1/agent/generate', { prompt: 'A lamp' }, mine);
      const tries = async () => (await world.get(`/v1/account/webhooks/${id}/tries`, acting)).body.tries;
      await expectEventually(async () => (await tries()).length > 1);
      const tried = (await tries()).find(({ type }: { type: string }) => type !== 'webhook.test');
      const one = await world.get(`/v1/account/webhooks/${id}/tries?eventId=${tried.eventId}`, acting);
      expect(one.body.tries).toContainEqual(expect.objectContaining({ id: tried.id, status: 503 }));

      const other = await KeyCaller.register(world, 1n);
      const foreign = await world.get(`/v1/account/webhooks/${id}/tries`, {
        ...acting,
        cookie: other.cookie,
      });
      expect(foreign.status).toBe(404);
      await send('DELETE', `${PATH}/${id}`, mine);
      expect(await world.db.rows('select 1 from webhook_try where target = $1', [id])).toEqual([]);
    });

    it('forget tries after seven days', async () => {
      const { id } = (await create({ url: receiver.url })).body;
      await world.post(`${PATH}/${id}/test`, {}, mine);
      await world.db.rows(`update webhook_try set at = now() - interval '8 days' where target = $1`, [id]);
      await world.app.get(WebhookRetentionProcessor, { strict: false }).run();
      expect(await world.db.rows('select 1 from webhook_try where target = $1', [id])).toEqual([]);
    });

    it('show their secrets to no log and no table, whatever goes wrong', async () => {
      const log = CapturedLog.start();
      receiver.manner = answering(500);
      const url = `${receiver.url}?token=a-secret-of-the-receiver`;
      const { id, secret } = (await create({ url })).body;
      await world.post(`${PATH}/${id}/test`, {}, mine);
      await world.post('/v1/agent/generate', { prompt: 'A lamp', webhookUrl: url }, mine);
      await expectEventually(() => receiver.received.length > 3);
      log.release();

      const said = [...log.errors, ...log.warnings, ...log.others].join('\n');
      expect(said).not.toContain(secret.slice('whsec_'.length));
      expect(said).not.toContain('a-secret-of-the-receiver');
      const kept = await world.db.rows<{ sealed: Buffer }>('select sealed from webhook_secret');
      expect(kept.some(({ sealed }) => sealed.includes('whsec_'))).toBe(false);
    });
  });
});
