import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { WebhookRetentionProcessor } from '#notices/webhooks/webhook-retention.processor';
import { Browser } from '../support/browser';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';
import { Receiver } from '../webhooks/receiver';

const HOOKS = '/v1/agent/webhooks';

interface Key {
  readonly id: string;
  readonly key: string;
}
type Headers = Record<string, string>;

const by = ({ key }: Key): Headers => ({ 'x-api-key': key });

describe('webhook endpoints of those who were handed a part', () => {
  let world: World;
  let ann: Browser;
  let org: string;
  let root: Key;
  const receivers: Receiver[] = [];

  beforeAll(async () => {
    world = await World.start({ FETCH_ALLOW_HOSTS: '127.0.0.1' });
    await world.listen();
  });

  beforeEach(async () => {
    ann = await Browser.registered(world);
    org = await ann.founds();
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(org), micro(10_000_000n), `test:${org}`);
    root = await ann.makeKey();
  });

  afterEach(async () => {
    await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
    await world.expectBooksToBalance();
  });
  afterAll(() => world.stop());

  const receive = async (): Promise<Receiver> => {
    const receiver = await new Receiver().start();
    receivers.push(receiver);
    return receiver;
  };
  const child = async (above: Key = root): Promise<Key> => {
    const made = await world.post(
      '/v1/agent/keys',
      {
        limitMicro: 500_000,
        expiresInSeconds: 3_600,
        scopes: { routes: ['image', 'webhooks', 'read', 'keys'] },
      },
      by(above),
    );
    expect(made.status).toBe(201);
    return made.body as Key;
  };
  const register = async (
    headers: Headers,
    url: string,
    more: Headers = {},
  ): Promise<{ id: string; secret: string }> => {
    const made = await world.post(HOOKS, { url }, { ...headers, ...more });
    expect(made.status).toBe(201);
    return made.body as { id: string; secret: string };
  };
  const makeImage = async (key: Key): Promise<void> => {
    const answer = await world.post('/v1/agent/generate', { prompt: 'A lamp' }, by(key));
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  };
  const send = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, headers: Headers, body?: object) =>
    world.send({
      method,
      url,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
  const idsSeen = async (headers: Headers): Promise<string[]> =>
    ((await world.get(HOOKS, headers)).body.webhooks as { id: string }[]).map(({ id }) => id);
  const asSession = (who: Browser): Headers => ({
    ...(who.cookie as Headers),
    'x-organisation': org,
    origin: new URL(world.settings.http.publicUrl).origin,
  });
  /** When the owner's own receiver has a later event, the fan-out has processed all events before it. */
  const settled = async (control: Receiver, key: Key): Promise<void> => {
    const received = control.received.length;
    await makeImage(key);
    await expectEventually(() => control.received.length >= received + 3);
  };

  it('receive events of their own key, and nothing else', async () => {
    const [own, others] = [await receive(), await receive()];
    const helper = await child();
    await register(by(helper), own.url);
    await register(by(root), others.url);

    await settled(others, root);
    expect(own.received).toEqual([]);

    await makeImage(helper);
    await expectEventually(() => own.received.length === 3);
    expect([...own.types].sort()).toEqual(['charge.charged', 'job.accepted', 'job.done']);
    await expectEventually(() => others.received.length === 6);
  });

  it('are the only ones that such a key sees, changes, tests, rotates, replays to and deletes', async () => {
    const receiver = await receive();
    const [helper, sibling] = [await child(), await child()];
    const mine = await register(by(helper), receiver.url);
    const theirs = await register(by(root), receiver.url);
    const siblings = await register(by(sibling), receiver.url);

    expect(await idsSeen(by(helper))).toEqual([mine.id]);
    for (const { id } of [theirs, siblings]) {
      const tries: [Parameters<typeof send>[0], string, object?][] = [
        ['GET', ''],
        ['PATCH', '', { enabled: false }],
        ['POST', '/rotate', { overlapSeconds: 0 }],
        ['POST', '/test'],
        ['GET', '/deliveries'],
        ['POST', '/deliveries/evt_1/replay'],
        ['DELETE', ''],
      ];
      for (const [method, path, body] of tries)
        expect((await send(method, `${HOOKS}/${id}${path}`, by(helper), body)).status).toBe(404);
    }
    expect(await idsSeen(by(root))).toEqual([mine.id, theirs.id, siblings.id]);
    expect((await send('DELETE', `${HOOKS}/${siblings.id}`, by(root))).status).toBe(200);
  });

  it('are not found by the mark of somebody else, whose secret they would show', async () => {
    const receiver = await receive();
    const helper = await child();
    const marked = { 'idempotency-key': 'endpoint-1' };
    const theirs = await register(by(root), receiver.url, marked);

    const mine = await register(by(helper), receiver.url, marked);

    expect(mine.id).not.toBe(theirs.id);
    expect(mine.secret).not.toBe(theirs.secret);
    expect((await register(by(helper), receiver.url, marked)).id).toBe(mine.id);
  });

  it('are sent no event of somebody else by a replay, neither by the key nor by its owner', async () => {
    const [own, control] = [await receive(), await receive()];
    const helper = await child();
    const { id } = await register(by(helper), own.url);
    await register(by(root), control.url);
    await settled(control, root);
    const ofRoot = control.received[0]!.id;

    for (const who of [helper, root]) {
      const answer = await send('POST', `${HOOKS}/${id}/deliveries/${ofRoot}/replay`, by(who));
      expect([answer.status, answer.body.error.code]).toEqual([404, 'NOT_FOUND']);
    }
    expect(own.received).toEqual([]);
  });

  const ENDINGS: readonly (readonly [string, (helper: Key) => Promise<Answer | unknown[]>])[] = [
    ['it is deleted', (helper) => send('DELETE', `/v1/agent/keys/${helper.id}`, by(root))],
    ['the key above it is deleted', () => ann.delete(`/v1/account/keys/${root.id}`)],
    [
      'it expires',
      (helper) => world.db.rows('update api_key set expires_at = now() where id = $1', [helper.id]),
    ],
    ['it is disabled', (helper) => ann.patch(`/v1/account/keys/${helper.id}`, { enabled: false })],
  ];

  it.each(ENDINGS)('receive nothing more once %s', async (_, end) => {
    const [own, control] = [await receive(), await receive()];
    const helper = await child();
    const { id } = await register(by(helper), own.url);
    const session = asSession(ann);
    await register(session, control.url);
    await makeImage(helper);
    await expectEventually(() => own.received.length === 3);
    const [event] = own.received;
    // The receiver gets a message before the service has stored its answer.
    await expectEventually(async () => {
      const rows = await world.db.rows(
        `select from webhook_delivery where target = $1 and state = 'delivered'`,
        [id],
      );
      return rows.length === 3;
    });
    await world.db.rows(
      `update webhook_delivery set state = 'pending', due_at = now() + interval '1 hour' where target = $1`,
      [id],
    );

    await end(helper);
    await world.db.rows(`update webhook_delivery set due_at = now() where target = $1`, [id]);
    await world.db.rows(
      `
      insert into event (id, owner, type, data) select 'evt_again_' || $2, owner, type, data from event where id = $1`,
      [event!.id, helper.id],
    );
    await send('POST', `${HOOKS}/${id}/deliveries/${event!.id}/replay`, session);
    const received = control.received.length;
    await ann.post('/v1/agent/generate', { prompt: 'A lamp' });
    await expectEventually(() => control.received.length > received + 2);
    await world.app.get(WebhookRetentionProcessor, { strict: false }).run();

    expect(own.received).toHaveLength(3);
    const left = await world.db.rows(
      `select state from webhook_delivery where target = $1 and state <> 'failed'`,
      [id],
    );
    expect(left).toEqual([]);
  });

  it('are gone with a key that is gone for good, and their slots are free', async () => {
    const receiver = await receive();
    for (let round = 0; round < 4; round += 1) {
      const helper = await child();
      await register(by(helper), receiver.url);
      await register(by(helper), receiver.url);
      await (round % 2 === 0
        ? world.db.rows('update api_key set expires_at = now() where id = $1', [helper.id])
        : send('DELETE', `/v1/agent/keys/${helper.id}`, by(root)));
    }
    await world.app.get(WebhookRetentionProcessor, { strict: false }).run();

    expect(await idsSeen(by(root))).toEqual([]);
  });

  describe('of a member', () => {
    const memberUrl = (who: Browser) => `/v1/account/organisations/${org}/members/${who.id}`;
    const GOINGS: readonly (readonly [string, (dev: Browser) => Promise<unknown>])[] = [
      ['is removed', (dev) => ann.delete(memberUrl(dev))],
      ['becomes a viewer', (dev) => ann.patch(memberUrl(dev), { role: 'viewer' })],
      ['is banned', (dev) => world.db.rows('update account set banned_at = now() where id = $1', [dev.id])],
    ];

    it.each(GOINGS)('who %s receive nothing more, made by a session or by a key', async (_, go) => {
      const [bySession, byKey, moved, control] = [
        await receive(),
        await receive(),
        await receive(),
        await receive(),
      ];
      const dev = await ann.colleague('developer');
      await register(asSession(dev), bySession.url);
      const devKey = await dev.makeKey();
      await register(by(devKey), byKey.url);
      const annsOwn = await register(asSession(ann), control.url);
      await register(asSession(ann), control.url);
      const move = await send('PATCH', `${HOOKS}/${annsOwn.id}`, asSession(dev), { url: moved.url });
      expect([move.status, move.body.error.code]).toEqual([404, 'NOT_FOUND']);
      // A developer's endpoints receive the events of the developer's own calls.
      await settled(control, devKey);
      await expectEventually(() => [bySession, byKey].every(({ received }) => received.length === 3));

      await go(dev);
      await settled(control, root);

      expect([bySession, byKey, moved].map(({ received }) => received.length)).toEqual([3, 3, 0]);
      const seen = (await world.get(HOOKS, asSession(ann))).body.webhooks as Record<string, unknown>[];
      expect(seen.filter(({ enabled }) => enabled === false)).toMatchObject([{ disabledReason: 'maker' }]);
    });

    it('who comes back finds them ended; who enables one answers for it', async () => {
      const receiver = await receive();
      const dev = await ann.colleague('developer');
      const { id } = await register(asSession(dev), receiver.url);
      await ann.patch(memberUrl(dev), { role: 'viewer' });
      await ann.patch(memberUrl(dev), { role: 'developer' });

      await makeImage(root);
      const enabled = await send('PATCH', `${HOOKS}/${id}`, asSession(ann), { enabled: true });
      expect(enabled.body).toMatchObject({ enabled: true });
      expect(receiver.received).toEqual([]);

      await ann.delete(memberUrl(dev));
      expect((await world.get(`${HOOKS}/${id}`, asSession(ann))).body).toMatchObject({ enabled: true });
    });
  });
});
