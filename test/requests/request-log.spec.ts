import { SessionCostRepository } from '#notices/requests/session-cost.repository';
import { KeyCaller, WalletCaller } from '../support/caller';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { ROUTE_SCOPES } from '#people/keys/key-scopes';
import { firstIdAt } from '#kernel/ids';
import { RequestLogRepository } from '#notices/requests/request-log.repository';
import { CallNoteRetentionProcessor } from '#notices/requests/call-note-retention.processor';
import { Browser } from '../support/browser';
import { catalogOf, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeChatCompletions } from '../support/fake-chat-completions';
import { type Answer, World } from '../support/world';

const FUNDS = 1_000_000n;
const LOG = '/v1/account/requests';

const byText = (a: string, b: string): number => a.localeCompare(b);

const ago = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

interface Logged {
  readonly id: string;
  readonly status: string;
  readonly code?: string;
  readonly tag?: string;
  readonly attempts: readonly unknown[];
  readonly [name: string]: unknown;
}

describe('the request log', () => {
  let first: FakeChatCompletions;
  let spare: FakeChatCompletions;
  let world: World;
  let caller: KeyCaller;

  beforeAll(async () => {
    first = await FakeChatCompletions.start();
    spare = await FakeChatCompletions.start();
    world = await World.start({
      OPENAI_BASE_URL: `${first.origin}/v1`,
      OPENAI_API_KEY: first.key,
      OPENAI_COMPATIBLE_SERVERS: 'spare',
      SPARE_BASE_URL: `${spare.origin}/v1`,
      SPARE_API_KEY: spare.key,
      ALLOW_SANDBOX_MIX: 'true',
      RATE_LIMIT_CHAT: '0',
      RATE_LIMIT_ADDRESS: '0',
      RATE_LIMIT_CHALLENGE: '0',
      RATE_LIMIT_FREE: '0',
      ...catalogOf(
        [],
        [
          textEntry('alone', ['openai:gpt-4o'], { default: true }),
          textEntry('two', ['openai:gpt-4o', 'spare:gpt-4o']),
        ],
      ),
    });
  });
  beforeEach(async () => {
    first.forgiveAll();
    caller = await KeyCaller.register(world, FUNDS);
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await Promise.all([first.stop(), spare.stop()]);
  });

  const ask = (
    more: object = {},
    headers: Record<string, string> = { 'x-api-key': caller.key },
  ): Promise<Answer> =>
    world.post(
      '/v1/chat/completions',
      { model: 'alone', messages: [{ role: 'user', content: 'a secret prompt' }], max_tokens: 64, ...more },
      headers,
    );

  const log = async (query = '', cookie = caller.cookie): Promise<readonly Logged[]> => {
    const { status, body } = await world.get(`${LOG}${query}`, { cookie });
    expect(status).toBe(200);
    return body.requests as Logged[];
  };

  const addRefusals = (count: number, apart: string, model = 'alone'): Promise<unknown> =>
    world.db.rows(
      `insert into call_note (id, owner, route, model_id, status, code, ms, created_at)
       select $5 || lpad(n::text, 6, '0') || substr(md5(n::text || $4 || $1), 1, 16), $1, 'POST /v1/agent/chat', $4, 402,
         'INSUFFICIENT_FUNDS', 1, now() + n * $3::interval
       from generate_series(1, $2::integer) n`,
      [caller.accountId, count, apart, model, firstIdAt('cn', Date.now())],
    );

  /** The service stores the notes of calls a moment after their answers. */
  const logged = async (calls: number, query = ''): Promise<readonly Logged[]> => {
    await expectEventually(async () => (await log(query)).length === calls);
    return log(query);
  };

  it('shows a charged call with key, member, model, tokens, cost and time, and never a prompt', async () => {
    expect((await ask({ tag: 'nightly' }, { 'x-api-key': caller.key })).status).toBe(200);

    const answer = await world.get(LOG, { cookie: caller.cookie });
    const [call] = answer.body.requests;
    expect(call).toMatchObject({
      status: 'ok',
      operation: 'studio',
      modelId: 'alone',
      key: { id: caller.keyId, name: 'test' },
      member: { id: caller.accountId },
      tag: 'nightly',
      attempts: [],
    });
    expect(call.tokens.input).toBeGreaterThan(0);
    expect(call.tokens.output).toBeGreaterThan(0);
    expect(call.costMicro).toBeGreaterThan(0);
    expect(call.ms).toBeGreaterThanOrEqual(0);
    expect(JSON.stringify(answer.body)).not.toContain('secret prompt');
    expect(answer.body.nextCursor).toBeNull();
  });

  it('adds up the calls of a session, by its header or by the fields that agents send', async () => {
    const key = { 'x-api-key': caller.key };
    expect((await ask({}, { ...key, 'x-session': 'one' })).status).toBe(200);
    expect((await ask({ prompt_cache_key: 'one' })).status).toBe(200);
    expect((await ask({ prompt_cache_key: 'two' })).status).toBe(200);
    expect((await ask()).status).toBe(200);
    const message = { model: 'alone', max_tokens: 64, messages: [{ role: 'user', content: 'Hi.' }] };
    const sent = await world.post('/v1/messages', { ...message, metadata: { user_id: 'one' } }, key);
    expect(sent.status).toBe(200);
    await expectEventually(async () => (await log()).filter(({ session }) => session).length === 4);

    const all = await log();
    const newest = all[0] as unknown as { readonly session: { readonly id: string } };
    const of = all.filter(
      ({ session }) => (session as typeof newest.session | undefined)?.id === newest.session.id,
    );
    const costs = of.map(({ costMicro }) => Number(costMicro));
    expect(newest.session).toEqual({
      id: expect.stringMatching(/^ss_[\w-]{20}$/) as string,
      calls: 3,
      costMicro: costs.reduce((sum, cost) => sum + cost, 0),
    });
    const sums = jest.spyOn(world.app.get(SessionCostRepository, { strict: false }), 'of');
    sums.mockRejectedValueOnce(new Error('The sums take too long.'));
    expect((await log())[0]).toMatchObject({ id: all[0]!.id, session: { id: newest.session.id } });
    sums.mockRestore();
    const filtered = await log(`?session=${newest.session.id}`);
    expect(filtered.map(({ id }) => id)).toEqual(of.map(({ id }) => id));
    const stored = await world.db.rows('select * from call_session where owner = $1', [caller.accountId]);
    expect(JSON.stringify(stored)).not.toContain('"one"');
    const counted = await world.get(`${LOG}/histogram?session=${newest.session.id}`, {
      cookie: caller.cookie,
    });
    const buckets = counted.body.buckets as { readonly ok: number }[];
    expect(buckets.reduce((sum, { ok }) => sum + ok, 0)).toBe(3);
  });

  it('shows a failed call with its code and its attempts, without the name of a vendor', async () => {
    first.failNext('chat', 529);
    spare.failNext('chat', 529);
    expect((await ask({ model: 'two' })).status).toBeGreaterThanOrEqual(500);

    await expectEventually(async () => (await log())[0]?.code !== undefined);
    const [call] = await log();
    expect(call).toMatchObject({
      status: 'failed',
      costMicro: 0,
      route: 'POST /v1/chat/completions',
      attempts: [{ outcome: 'unavailable' }, { outcome: 'unavailable' }],
    });
    expect(JSON.stringify(call)).not.toMatch(/openai|spare|gpt/i);
    expect(await log(`?code=${call!.code}`)).toHaveLength(1);
    expect(await log('?code=SOMETHING_ELSE')).toHaveLength(0);
  });

  it('shows that a charged call was moved to another route', async () => {
    first.failNext('chat', 529);
    expect((await ask({ model: 'two' })).status).toBe(200);

    await expectEventually(async () => (await log())[0]?.attempts.length === 2);
    expect(await log()).toMatchObject([
      { status: 'ok', attempts: [{ outcome: 'unavailable' }, { outcome: 'accepted' }] },
    ]);
  });

  it('shows refused calls: without money, with a bad body, and beyond the scopes of a key', async () => {
    const poor = await KeyCaller.register(world, 0n);
    caller = poor;
    expect((await ask()).status).toBe(402);
    expect((await ask({ max_tokens: -1 })).status).toBe(400);
    const narrow = await world.post(
      '/v1/account/keys',
      { name: 'narrow', expiresInDays: null, scopes: { routes: ['read'] } },
      { cookie: poor.cookie, origin: new URL(world.settings.http.publicUrl).origin },
    );
    expect((await ask({}, { 'x-api-key': narrow.body.key as string })).status).toBe(403);

    const calls = await logged(3);
    expect(calls.map(({ status, code }) => `${status} ${code}`).sort(byText)).toEqual([
      'refused INSUFFICIENT_FUNDS',
      'refused INVALID_REQUEST',
      'refused KEY_SCOPE',
    ]);
    expect(calls.find(({ code }) => code === 'INSUFFICIENT_FUNDS')).toMatchObject({
      httpStatus: 402,
      modelId: 'alone',
      key: { id: poor.keyId },
      costMicro: 0,
    });
    expect(await log('?status=refused&code=KEY_SCOPE')).toMatchObject([{ key: { name: 'narrow' } }]);
    expect(await log('?status=ok')).toEqual([]);
  });

  it('lists a sample of many refusals, and counts all of them', async () => {
    const poor = await KeyCaller.register(world, 0n);
    caller = poor;
    for (let calls = 0; calls < 70; calls += 1) expect((await ask()).status).toBe(402);

    const histogram = () => world.get(`${LOG}/histogram`, { cookie: poor.cookie });
    await expectEventually(async () => (await histogram()).body.refusals === 70);
    const listed = await log('?limit=200');
    expect(listed.length).toBeGreaterThanOrEqual(60);
    const { body } = await histogram();
    const counted = (body.buckets as { refused: number }[]).reduce((sum, { refused }) => sum + refused, 0);
    expect(counted).toBe(listed.length);
  });

  it('filters by key, model, tag and time, and pages through everything once', async () => {
    const other = await world.post(
      '/v1/account/keys',
      { name: 'other', expiresInDays: null },
      { cookie: caller.cookie, origin: new URL(world.settings.http.publicUrl).origin },
    );
    const key = { 'x-api-key': other.body.key as string };
    for (let calls = 0; calls < 4; calls += 1) expect((await ask({ tag: `t${calls % 2}` })).status).toBe(200);
    for (let calls = 0; calls < 3; calls += 1) expect((await ask({ model: 'two' }, key)).status).toBe(200);
    caller = await KeyCaller.register(world, FUNDS).then((neighbour) => {
      expect(neighbour.accountId).not.toBe(caller.accountId);
      return caller;
    });

    expect(await log(`?keyId=${other.body.id}`)).toHaveLength(3);
    expect(await log('?modelId=alone')).toHaveLength(4);
    expect(await log('?tag=t1')).toHaveLength(2);
    expect(await log('?tag=t1&modelId=two')).toHaveLength(0);
    expect(await log(`?member=${caller.accountId}`)).toHaveLength(7);
    expect(await log('?member=acc_nobody')).toHaveLength(0);
    expect(await log('?to=2020-01-01T00:00:00Z')).toHaveLength(0);
    expect(await log('?from=2020-01-01T00:00:00Z')).toHaveLength(7);
    expect((await world.get(`${LOG}?from=yesterday`, { cookie: caller.cookie })).status).toBe(400);
    expect((await world.get(`${LOG}?cursor=1.2`, { cookie: caller.cookie })).status).toBe(400);

    const ids: string[] = [];
    let cursor: string | null = '';
    for (let pages = 0; cursor !== null && pages < 9; pages += 1) {
      const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
      const { body } = await world.get(`${LOG}?limit=2${at}`, { cookie: caller.cookie });
      ids.push(...(body.requests as Logged[]).map(({ id }) => id));
      cursor = body.nextCursor as string | null;
    }
    expect(ids).toEqual((await log()).map(({ id }) => id));
    expect(new Set(ids).size).toBe(7);
  });

  it('keeps equally old calls apart', async () => {
    await addRefusals(5, '0 ms');
    const { body: one } = await world.get(`${LOG}?limit=3`, { cookie: caller.cookie });
    const { body: two } = await world.get(`${LOG}?limit=3&cursor=${one.nextCursor}`, {
      cookie: caller.cookie,
    });
    expect(new Set([...one.requests, ...two.requests].map(({ id }: Logged) => id)).size).toBe(5);
    expect(two.nextCursor).toBeNull();
  });

  it('looks at a bounded number of calls for a rare filter, and goes on from there', async () => {
    await addRefusals(1, '0 ms', 'two');
    await addRefusals(5_003, '1 ms');
    const { body: one } = await world.get(`${LOG}?modelId=two`, { cookie: caller.cookie });
    expect(one.requests).toEqual([]);
    expect(one.lookedBackTo).not.toBeNull();
    const { body: two } = await world.get(`${LOG}?modelId=two&cursor=${one.nextCursor}`, {
      cookie: caller.cookie,
    });
    expect(two.requests).toHaveLength(1);
    expect(two.nextCursor).toBeNull();
  });

  it('counts calls over time by their end', async () => {
    expect((await ask()).status).toBe(200);
    first.failNext('chat', 500);
    expect((await ask()).status).toBeGreaterThanOrEqual(500);

    const { body } = await world.get(`${LOG}/histogram?modelId=alone`, { cookie: caller.cookie });
    const sum = (name: string): number =>
      (body.buckets as Record<string, number>[]).reduce((all, bucket) => all + bucket[name]!, 0);
    expect([sum('ok'), sum('failed'), body.countedSince]).toEqual([1, 1, null]);
    expect(body.buckets).toHaveLength(48);
  });

  it('exports the matching calls with the cost in USD and the name of the key', async () => {
    expect((await ask({ tag: 'x' })).status).toBe(200);
    expect((await ask()).status).toBe(200);

    expect((await world.get(`${LOG}.csv?from=never`, { cookie: caller.cookie })).status).toBe(400);
    const { body } = await world.get(`${LOG}.csv?tag=x`, { cookie: caller.cookie });
    const [head, line, rest] = String(body).split('\r\n');
    expect(head).toContain('status,httpStatus,code,operation,model,key,keyId,member,tag');
    expect(line).toMatch(/,ok,,,studio,alone,test,key_[\w-]+,[^,]+@example\.test,x,\d+,\d+,\d+,,,0\.\d+,ch_/);
    expect(rest).toBe('');
  });

  it('exports a bounded part of the log for a rare filter, and says so; one at a time for each owner', async () => {
    const { db } = world;
    const log = world.app.get(RequestLogRepository, { strict: false });
    const page = log.page.bind(log);
    let reads = 0;
    let second: ReturnType<typeof world.get> | undefined;
    // A read of the real log is 5,000 rows. Here each read finds nothing and there is always more.
    const spied = jest.spyOn(log, 'page').mockImplementation(async (...asked) => {
      reads += 1;
      await page(...asked);
      await (second ??= world.get('/v1/account/billing/transactions.csv', { cookie: caller.cookie }));
      return { calls: [], until: { at: String(1_700_000_000_000_000 - reads), id: 'ch_0' } };
    });
    const first = await world.get(`${LOG}.csv?tag=never`, { cookie: caller.cookie });
    spied.mockRestore();
    expect([first.status, (await second)?.status]).toEqual([200, 429]);
    expect(reads).toBe(150);
    const lines = String(first.body).trim().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^2023-11-14T22:13:19\.\d{3}Z,,,OLDER_NOT_SEARCHED,/);
    expect((await world.get(`${LOG}.csv`, { cookie: caller.cookie })).status).toBe(200);
    expect(await db.rows('select 1 from charge where payer = $1', [caller.accountId])).toEqual([]);
  });

  it('belongs to its tenant; a developer sees their own calls, and a delegated key only its own', async () => {
    const owner = await Browser.registered(world);
    const organisation = await owner.founds();
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(organisation), micro(FUNDS), `test:${organisation}`);
    const [dev, other] = [await owner.colleague('developer'), await owner.colleague('developer')];
    const [devKey, otherKey] = [await dev.makeKey(), await other.makeKey()];
    expect((await ask({ tag: 'dev' }, { 'x-api-key': devKey.key })).status).toBe(200);
    expect((await ask({ tag: 'other' }, { 'x-api-key': otherKey.key })).status).toBe(200);
    const session = { model: 'alone', messages: [{ role: 'user', content: 'Hi.' }], tag: 'session' };
    expect((await dev.post('/v1/chat/completions', session)).status).toBe(200);
    const handed = await world.post(
      '/v1/agent/keys',
      { limitMicro: 100_000, expiresInSeconds: 3_600, scopes: { routes: [...ROUTE_SCOPES] } },
      { 'x-api-key': otherKey.key },
    );
    expect((await ask({ tag: 'handed' }, { 'x-api-key': handed.body.key as string })).status).toBe(200);

    const tags = async (browser: Browser): Promise<string[]> =>
      ((await browser.get(LOG)).body.requests as Logged[]).map(({ tag = '' }) => tag).sort(byText);
    expect(await tags(owner)).toEqual(['dev', 'handed', 'other', 'session']);
    expect(await tags(dev)).toEqual(['dev', 'session']);
    expect(await tags(other)).toEqual(['handed', 'other']);
    expect((await dev.get(`${LOG}/histogram`)).body.refusals).toBeNull();
    expect((await dev.get(`${LOG}?keyId=${otherKey.id}`)).body.requests).toEqual([]);
    const mine = await world.get('/v1/agent/requests', { 'x-api-key': handed.body.key as string });
    expect((mine.body.requests as Logged[]).map(({ tag }) => tag)).toEqual(['handed']);
    expect(JSON.stringify(mine.body)).not.toContain('@example.com');
    expect((await owner.get(LOG)).body.requests[0].member.email).toContain('@example.com');
    owner.organisation = undefined;
    expect(await tags(owner)).toEqual([]);
  });

  it('forgets notes, sessions and counts after thirty days', async () => {
    const old = new Date(Date.now() - 31 * 86_400_000);
    await addRefusals(1, '0 ms');
    await world.db.rows(
      'insert into call_note (id, owner, route, status, ms, created_at) values ($1, $2, $3, 402, 1, $4)',
      [
        `${firstIdAt('cn', old.getTime())}xxxxxxxxxxxxxxxxxxxxxx`,
        caller.accountId,
        'POST /v1/agent/chat',
        old,
      ],
    );
    await world.db.rows(
      `insert into refusal_count (owner, hour, code, calls) values ($1, $2, 'A', 1), ($1, date_trunc('hour', now()), 'A', 2)`,
      [caller.accountId, old],
    );
    await world.db.rows(
      `insert into call_session (charge_id, owner, session, created_at) values ('a', $1, 'ss_1', $2), ('b', $1, 'ss_1', now())`,
      [caller.accountId, old],
    );
    expect(await log()).toHaveLength(2);
    await world.app.get(CallNoteRetentionProcessor, { strict: false }).run();
    expect(await log()).toHaveLength(1);
    const kept = 'select charge_id from call_session where owner = $1';
    expect(await world.db.rows(kept, [caller.accountId])).toEqual([{ charge_id: 'b' }]);
    const { body } = await world.get(`${LOG}/histogram?from=${ago(300)}`, { cookie: caller.cookie });
    expect(body.refusals).toBe(2);
  });

  it('shows a wallet its own calls for its sign-in', async () => {
    const wallet = await new WalletCaller().fund(world, FUNDS);
    const chat = { messages: [{ role: 'user', content: 'Hi.' }] };
    expect(
      (await world.post('/v1/agent/chat', chat, { 'sign-in-with-x': await wallet.signIn(world) })).status,
    ).toBe(200);

    const { body } = await world.get('/v1/agent/requests', { 'sign-in-with-x': await wallet.signIn(world) });
    expect(body.requests).toMatchObject([{ status: 'ok', operation: 'chat', rail: 'wallet' }]);
    expect((await world.get('/v1/agent/requests')).status).toBe(401);
  });
});
