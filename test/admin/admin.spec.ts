import { getQueueToken } from '@nestjs/bullmq';
import type { Queue } from 'bullmq';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { UsageRollupProcessor } from '#money/billing/sweeps/usage-rollup.processor';
import { Catalog } from '#models/catalog/catalog';
import { RefundSweepProcessor } from '#work/jobs/refund-sweep.processor';
import { micro } from '#kernel/money';
import { VendorCosts } from '#money/margins/vendor-costs';
import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { expectEventually } from '../support/eventually';
import { captureLog } from '../support/log-lines';
import { WalletCaller } from '../support/caller';
import { World } from '../support/world';

const TOKEN = 'an-admin-token-for-tests';
const ROUTES: readonly (readonly ['GET' | 'POST', string])[] = [
  ['GET', '/v1/admin/accounts'],
  ['POST', '/v1/admin/accounts/acc_x/ban'],
  ['POST', '/v1/admin/accounts/acc_x/unban'],
  ['POST', '/v1/admin/accounts/acc_x/credit'],
  ['GET', '/v1/admin/charges'],
  ['GET', '/v1/admin/channels'],
  ['GET', '/v1/admin/queues'],
  ['GET', '/v1/admin/drift'],
  ['GET', '/v1/admin/margins'],
  ['GET', '/v1/admin/models'],
  ['GET', '/v1/admin/models/export'],
  ['POST', '/v1/admin/models/lists/openai/agree'],
  ['GET', '/v1/admin/audit'],
];

describe('an operator', () => {
  let world: World;
  let person: Browser;

  beforeAll(async () => {
    world = await World.start();
  });

  beforeEach(async () => {
    person = await Browser.registered(world);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const get = (path: string) => world.get(`/v1/admin/${path}`, { authorization: `Bearer ${TOKEN}` });
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    world.post(`/v1/admin/${path}`, body, { authorization: `Bearer ${TOKEN}`, ...headers });
  const audited = async () => (await get('audit?limit=200')).body.entries as Record<string, unknown>[];
  const ofPerson = async () => (await audited()).filter(({ accountId }) => accountId === person.id);
  const chat = (key: string, content = 'hello') =>
    world.post(
      '/v1/agent/chat',
      { messages: [{ role: 'user', content }], max_tokens: 16 },
      { 'x-api-key': key },
    );

  it.each(ROUTES)('is nobody without the token: %s %s', async (method, url) => {
    const { cookie } = person.cookie;
    const { key } = await person.makeKey();
    const credentials: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${TOKEN.slice(0, -1)}` },
      { authorization: `Bearer ${TOKEN}x` },
      { authorization: `Basic ${TOKEN}` },
      { authorization: TOKEN },
      { 'x-api-key': TOKEN },
      { authorization: `Bearer ${key}` },
      { cookie: String(cookie), origin: 'http://127.0.0.1:3999' },
    ];

    for (const headers of credentials) {
      const json = method === 'POST' ? { 'content-type': 'application/json' } : {};
      const answer = await world.send({ method, url, headers: { ...headers, ...json } });
      expectEnvelope(answer, { status: 401, code: 'MISSING_CREDENTIALS', type: 'authentication_error' });
    }
  });

  it.each([
    ['accounts/acc_x/ban', { reasn: 'x' }, 'reason'],
    ['accounts/acc_x/reset-link', { reason: 'x', removeSecondFacter: true }, 'removeSecondFactor'],
    ['switches/model/x/off', { reasn: 'x' }, 'reason'],
    ['payments/pay_x/credit', { reason: 'x', amountMirco: 5 }, 'amountMicro'],
  ])('misspells no field: %s %j', async (path, body, meant) => {
    const answer = await post(path, body);
    expect([answer.status, answer.body.error.message]).toEqual([
      400,
      expect.stringContaining(`Did you mean ${meant}?`),
    ]);
  });

  it('sees all accounts with their balances, page by page', async () => {
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(person.id), micro(5n), `test:${person.id}`);

    const seen: Record<string, unknown>[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await get(`accounts?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...(body.accounts as Record<string, unknown>[]));
      cursor = body.nextCursor as string | null;
    }

    const [total] = await world.db.rows<{ total: number }>('select count(*)::int as total from account');
    expect(new Set(seen.map(({ id }) => id)).size).toBe(total?.total);
    expect(seen.find(({ id }) => id === person.id)).toEqual({
      id: person.id,
      email: person.email,
      balanceMicro: 5,
      createdAt: expect.any(String),
      bannedAt: null,
      proofDue: false,
    });
    expect(JSON.stringify(seen)).not.toMatch(/argon|hash/i);
  });

  it('finds accounts by their id, or by a part of the email address that is taken as it is written', async () => {
    const found = async (search: string) =>
      (await get(`accounts?search=${encodeURIComponent(search)}`)).body.accounts as { id: string }[];

    expect(await found(person.id)).toMatchObject([{ id: person.id }]);
    expect(await found(person.email.toUpperCase().slice(0, -4))).toMatchObject([{ id: person.id }]);
    expect(await found(`${person.email}x`)).toEqual([]);
    for (const pattern of ['%', '_', '\\']) expect(await found(pattern)).toEqual([]);
    expect((await found('@')).length).toBeGreaterThan(1);
  });

  it('closes an account, which stops its keys and sessions at once, and opens it again', async () => {
    const { key } = await person.makeKey();
    expect((await world.get('/v1/agent/balance', { 'x-api-key': key })).status).toBe(200);

    const banned = await post(`accounts/${person.id}/ban`, { reason: 'stolen cards' });
    const again = await post(`accounts/${person.id}/ban`, {});

    expect(banned).toMatchObject({ status: 200, body: { id: person.id, bannedAt: expect.any(String) } });
    expect(again.body.bannedAt).toBe(banned.body.bannedAt);
    expectEnvelope(await world.get('/v1/agent/balance', { 'x-api-key': key }), {
      status: 401,
      code: 'ACCOUNT_BANNED',
    });
    expectEnvelope(await person.get('/v1/account'), { status: 401, code: 'ACCOUNT_BANNED' });
    expectEnvelope(await person.signIn(), { status: 401, code: 'ACCOUNT_BANNED' });

    expect((await post(`accounts/${person.id}/unban`, {})).body.bannedAt).toBeNull();
    expect((await world.get('/v1/agent/balance', { 'x-api-key': key })).status).toBe(200);
    expect(await ofPerson()).toMatchObject([
      { action: 'unban' },
      { action: 'ban' },
      { action: 'ban', reason: 'stolen cards' },
    ]);
  });

  describe('gives credits', () => {
    const credit = (body: unknown, headers: Record<string, string> = {}) =>
      post(`accounts/${person.id}/credit`, body, headers);
    const balance = async () => (await person.get('/v1/account')).body.balanceMicro as number;

    it('as a top-up that the owner sees, with a reason that only operators see', async () => {
      const answer = await credit({ amountMicro: 2_500_000, reason: 'sorry for the outage' });

      expect(answer).toMatchObject({ status: 200, body: { id: person.id, balanceMicro: 2_500_000 } });
      const { body } = await person.get('/v1/account/billing/transactions');
      expect(body.transactions).toMatchObject([{ kind: 'top_up', amountMicro: 2_500_000 }]);
      expect(JSON.stringify(body)).not.toContain('sorry');
      expect(await ofPerson()).toEqual([
        {
          id: expect.stringMatching(/^\d+$/),
          action: 'credit',
          accountId: person.id,
          amountMicro: 2_500_000,
          reason: 'sorry for the outage',
          requestId: answer.headers['x-request-id'],
          operator: 'admin',
          ip: '127.0.0.1',
          createdAt: expect.any(String),
        },
      ]);
    });

    it('twice when asked twice, and once for one mark', async () => {
      const gift = { amountMicro: 10, reason: 'gift' };
      const mark = { 'idempotency-key': `gift-${person.id}` };

      await credit(gift);
      await credit(gift);
      await Promise.all(Array.from({ length: 8 }, () => credit(gift, mark)));

      expect(await balance()).toBe(30);
      expect(await ofPerson()).toHaveLength(3);
      expectEnvelope(await credit({ ...gift, amountMicro: 11 }, mark), {
        status: 422,
        code: 'IDEMPOTENCY_MISMATCH',
        param: 'Idempotency-Key',
      });
      expect(await balance()).toBe(30);
    });

    it.each([
      ['no reason', { amountMicro: 10 }, 'reason'],
      ['an empty reason', { amountMicro: 10, reason: '' }, 'reason'],
      ['no amount', { reason: 'r' }, 'amountMicro'],
      ['nothing', { amountMicro: 0, reason: 'r' }, 'amountMicro'],
      ['less than nothing', { amountMicro: -10, reason: 'r' }, 'amountMicro'],
      ['half a micro', { amountMicro: 0.5, reason: 'r' }, 'amountMicro'],
      ['more than a slip of the finger should', { amountMicro: 10_000_000_001, reason: 'r' }, 'amountMicro'],
      ['text', { amountMicro: '10', reason: 'r' }, 'amountMicro'],
    ])('but not with %s', async (_, body, param) => {
      expectEnvelope(await credit(body), { status: 400, code: 'INVALID_REQUEST', param });
      expect(await balance()).toBe(0);
    });
  });

  it.each(['ban', 'unban', 'credit'])(
    'can do nothing (%s) to an account that is not there',
    async (action) => {
      const before = (await audited()).length;

      expectEnvelope(await post(`accounts/acc_nobody/${action}`, { amountMicro: 1, reason: 'r' }), {
        status: 404,
        code: 'NOT_FOUND',
      });
      expect(await audited()).toHaveLength(before);
    },
  );

  it('cannot rewrite the audit, not even in the database', async () => {
    await post(`accounts/${person.id}/ban`, { reason: 'r' });

    for (const statement of [
      `update admin_audit set reason = 'another'`,
      'delete from admin_audit',
      'truncate admin_audit',
    ]) {
      await expect(world.db.rows(statement)).rejects.toThrow('append-only');
    }
  });

  it('reads the audit page by page', async () => {
    for (let n = 0; n < 3; n += 1) await post(`accounts/${person.id}/unban`, { reason: `n${n}` });

    const first = await get('audit?limit=2');
    const second = await get(`audit?limit=2&cursor=${first.body.nextCursor}`);

    const reasons = [...first.body.entries, ...second.body.entries].map(
      ({ reason }: { reason: string }) => reason,
    );
    expect(reasons.slice(0, 3)).toEqual(['n2', 'n1', 'n0']);
    expectEnvelope(await get('audit?cursor=x'), { status: 400, code: 'INVALID_REQUEST', param: 'cursor' });
    expectEnvelope(await get('audit?limit=0'), { status: 400, code: 'INVALID_REQUEST', param: 'limit' });
  });

  it('finds charges by their state', async () => {
    const { key } = await person.makeKey();
    await post(`accounts/${person.id}/credit`, { amountMicro: 1_000_000, reason: 'test' });
    const charged = await chat(key);
    const released = await chat(key, '[[reject]]');

    const [all, done, undone, held] = await Promise.all([
      get('charges'),
      get('charges?state=charged'),
      get('charges?state=released'),
      get('charges?state=held'),
    ]);

    const idsOf = ({ body }: typeof all) => body.charges.map(({ id }: { id: string }) => id) as string[];
    expect(idsOf(all)).toEqual([released.headers['x-charge-id'], charged.headers['x-charge-id']]);
    expect(idsOf(done)).toEqual([charged.headers['x-charge-id']]);
    expect(idsOf(undone)).toEqual([released.headers['x-charge-id']]);
    expect(idsOf(held)).toEqual([]);
    expect(done.body.charges[0]).toMatchObject({
      state: 'charged',
      rail: 'api-key',
      operation: 'chat',
      payer: person.id,
      priceMicro: 2_000,
      settledAt: expect.any(String),
    });
    const [one, two] = [await get('charges?limit=1'), await get(`charges?cursor=${idsOf(all)[0]}`)];
    expect(idsOf(one)).toEqual([idsOf(all)[0]]);
    expect(one.body.nextCursor).toBe(idsOf(all)[0]);
    expect(idsOf(two)).toEqual([idsOf(all)[1]]);
    expectEnvelope(await get('charges?state=lost'), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'state',
    });
  });

  it('finds charges by their id, job, key and payer', async () => {
    const { id: keyId, key } = await person.makeKey();
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(person.id), micro(1_000_000n), `test:search-${person.id}`);
    const { status, body } = await world.post(
      '/v1/agent/generate',
      { prompt: 'a film', duration: 4 },
      { 'x-api-key': key },
    );
    expect(status).toBe(200);
    const found = async (search: string, more = '') =>
      ((await get(`charges?search=${search}${more}`)).body.charges as { jobId: string }[]).map(
        ({ jobId }) => jobId,
      );

    const [charge] = (await get(`charges?search=${body.jobId}`)).body.charges as { id: string }[];
    for (const search of [charge!.id, body.jobId, keyId, person.id])
      expect({ search, found: await found(search) }).toEqual({ search, found: [body.jobId] });
    expect(await found(person.id, '&state=charged')).toEqual([body.jobId]);
    for (const search of ['ch_nobody', 'job_nobody', 'key_nobody', 'nobody', `0x${'Aa'.repeat(20)}`])
      expect({ search, found: await found(search) }).toEqual({ search, found: [] });
  });

  it('sees the queues', async () => {
    const { body } = await get('queues');

    expect(body.queues).toMatchObject({ schedule: { waiting: expect.any(Number) } });
    expect(body.failures).toEqual([]);
  });

  it('sees what failed by itself, and why', async () => {
    const refunds = jest
      .spyOn(world.app.get(RefundSweepProcessor, { strict: false }), 'run')
      .mockRejectedValueOnce(new Error('the jobs cannot be read'));
    await expectEventually(async () => (await get('queues')).body.failures.length > 0);
    refunds.mockRestore();

    const { failures } = (await get('queues')).body;

    expect(failures).toMatchObject([
      { queue: 'schedule', job: 'refund-sweep', reason: 'the jobs cannot be read' },
    ]);
  });

  it.each(['getJobCounts', 'getFailed'] as const)(
    'reports that the queues are away when %s gets no connection',
    async (method) => {
      const queue = world.app.get<Queue>(getQueueToken('schedule'), { strict: false });
      const busy = new Error('timeout exceeded when trying to connect');
      const away = jest.spyOn(queue, method).mockRejectedValueOnce(busy);

      const answer = await get('queues');
      away.mockRestore();

      expectEnvelope(answer, { status: 503, code: 'INTERNAL' });
    },
  );

  it('sees that the books balance, and the moment when they do not', async () => {
    await post(`accounts/${person.id}/credit`, { amountMicro: 1_000, reason: 'test' });

    const good = await get('drift');
    // The tables' triggers are off for a moment: only then can the books be wrong.
    const account = creditsAccount(person.id);
    const bend = (by: number) =>
      world.db.transaction(async (queries) => {
        await queries.rows('alter table ledger_account disable trigger ledger_account_proof_update');
        await queries.rows('update ledger_account set balance_micro = balance_micro + $2 where id = $1', [
          account,
          by,
        ]);
        await queries.rows('alter table ledger_account enable trigger ledger_account_proof_update');
      });
    await bend(7);
    const bad = await get('drift');
    await bend(-7);

    expect(Object.values(good.body.now.driftMicro as Record<string, number>).every((d) => d === 0)).toBe(
      true,
    );
    expect(bad.body.now.driftMicro).toMatchObject({ balances: 7 });
    expect(bad.body.last.driftMicro).toMatchObject({ balances: 0 });
  });

  it('has a name in the audit, and does no more than it may', async () => {
    const [ann, bob] = ['the-token-of-ann', 'the-token-of-bob'].map((token) => ({
      authorization: `Bearer ${token}`,
    }));
    const ours = await World.start({
      ADMIN_TOKENS: 'ann:read+accounts:the-token-of-ann,bob:money:the-token-of-bob',
    });
    const { id } = await Browser.registered(ours);
    const [ban, gift] = [`/v1/admin/accounts/${id}/ban`, `/v1/admin/accounts/${id}/credit`];
    const credit = { amountMicro: 1_000, reason: 'sorry' };

    expect((await ours.post(gift, credit, bob)).status).toBe(200);
    expect((await ours.post(ban, {}, ann)).status).toBe(200);
    for (const [refused, param] of [
      [await ours.post(gift, credit, ann), 'money'],
      [await ours.post(ban, {}, bob), 'accounts'],
      [await ours.get('/v1/admin/audit', bob), 'read'],
    ] as const)
      expectEnvelope(refused, { status: 403, code: 'ADMIN_SCOPE', type: 'permission_error', param });
    const { entries } = (await ours.get('/v1/admin/audit', ann)).body;
    expect(entries.map(({ operator, action }: Record<string, string>) => [operator, action])).toEqual([
      ['ann', 'ban'],
      ['bob', 'credit'],
    ]);
    await ours.expectBooksToBalance();
    await ours.stop();
  });

  it('switches a model and a provider off and on while everything runs, and takes nothing for what is off', async () => {
    const { key } = await person.makeKey();
    await post(`accounts/${person.id}/credit`, { amountMicro: 1_000_000, reason: 'to try it' });
    const ids = async () =>
      ((await world.get('/v1/agent/models')).body.textModels as { id: string }[]).map(({ id }) => id);
    const ask = (model: string, mark: string) =>
      world.post(
        '/v1/agent/chat',
        { model, messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 },
        { 'x-api-key': key, 'idempotency-key': mark },
      );
    const PAGES = ['/v1/agent/guide.md', '/guides/openai.md', '/guides/openai', '/guides/search.json'];
    const reported = async (who: World): Promise<string> => {
      const { pricing, notSold } = (await who.get('/v1/agent/manifest.json')).body;
      const answers = await Promise.all(PAGES.map((url) => who.get(url)));
      return JSON.stringify([pricing.textRates, notSold, ...answers.map(({ body }) => body as unknown)]);
    };
    const before = await ask('lumen-plus', 'paid before it was off');

    expect((await post('switches/model/lumen-plus/off', { reason: 'too slow' })).body).toMatchObject({
      isOn: false,
      reason: 'too slow',
    });
    expect(await ids()).not.toContain('lumen-plus');
    const refused = await ask('lumen-plus', 'asked while it is off');
    expectEnvelope(refused, { status: 503, code: 'NOT_OFFERED', type: 'unavailable' });
    expect(refused.headers['x-charge-state']).toBe('none');
    expect((await ask('lumen-plus', 'paid before it was off')).body).toEqual(before.body);
    expect((await ask('lumen-flash', 'another model')).status).toBe(200);
    const other = await World.start({ DATABASE_URL: world.settings.databaseUrl! });
    const elsewhere = async () => JSON.stringify((await other.get('/v1/models')).body);
    expect(await elsewhere()).not.toContain('lumen-plus');
    expect([await reported(world), await reported(other)]).toEqual([
      expect.not.stringContaining('lumen-plus'),
      expect.not.stringContaining('lumen-plus'),
    ]);
    await post('switches/model/lumen-plus/on', {});
    await expectEventually(async () => (await elsewhere()).includes('lumen-plus'));
    expect(await reported(other)).toContain('lumen-plus');
    // All examples use the default model.
    expect(await reported(other)).toMatch(/model: 'lumen-flash'/);
    await post('switches/model/lumen-flash/off', {});
    await expectEventually(async () => !(await reported(other)).includes('lumen-flash'));
    await post('switches/model/lumen-flash/on', {});
    await other.stop();
    expect((await ask('lumen-plus', 'asked while it is off')).status).toBe(200);

    await post('switches/provider/sandbox/off', {});
    expect(await ids()).toEqual([]);
    expect(await reported(world)).toContain('["text","media"]');
    expectEnvelope(await ask('lumen-flash', 'nobody makes it'), {
      status: 503,
      code: 'NOT_OFFERED',
      type: 'unavailable',
    });
    await post('switches/provider/sandbox/on', {});
    expect(await ids()).toContain('lumen-flash');
    expectEnvelope(await post('switches/model/nonsense/off', {}), {
      status: 404,
      code: 'NOT_FOUND',
      type: 'not_found',
    });
    expect((await audited()).slice(0, 6)).toMatchObject([
      { action: 'switch_on', subject: 'provider sandbox', operator: 'admin' },
      { action: 'switch_off', subject: 'provider sandbox' },
      { action: 'switch_on', subject: 'model lumen-flash' },
      { action: 'switch_off', subject: 'model lumen-flash' },
      { action: 'switch_on', subject: 'model lumen-plus' },
      { action: 'switch_off', subject: 'model lumen-plus', reason: 'too slow' },
    ]);
  });

  it('sees margins whose revenue equals the books, and the cost of each route', async () => {
    const { key } = await person.makeKey();
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(person.id), micro(1_000_000n), `test:${person.id}`);
    const wallet = await new WalletCaller().fund(world, 100_000n);
    await chat(key);
    const body = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
    await world.post('/v1/agent/chat', body, { 'sign-in-with-x': await wallet.signIn(world) });
    const image = { prompt: 'a red fox', modelId: 'ember-image' };
    expect((await world.post('/v1/agent/generate', image, { 'x-api-key': key })).status).toBe(200);
    await world.app.get(VendorCosts, { strict: false }).write();
    await world.app.get(UsageRollupProcessor, { strict: false }).run();

    const { status, body: margins } = await get('margins');

    const [books] = await world.db.rows<{ sum: string }>(
      `select sum(price_micro)::text as sum from charge where state = 'charged' and operation <> 'top_up'`,
    );
    const days = margins.days as { modelId: string; revenueMicro: number; routes: object[] }[];
    const revenue = (rows: readonly { revenueMicro: number }[]) =>
      rows.reduce((sum, { revenueMicro }) => sum + revenueMicro, 0);
    expect(status).toBe(200);
    expect(Number(books?.sum)).toBeGreaterThan(0);
    expect(revenue(days)).toBe(Number(books?.sum));
    expect(revenue(margins.models)).toBe(Number(books?.sum));
    const { costs } = world.app.get(Catalog, { strict: false }).mediaModel('ember-image', 't2i');
    expect(days.find(({ modelId }) => modelId === 'ember-image')!.routes).toEqual([
      {
        provider: 'sandbox',
        model: expect.any(String),
        calls: 1,
        unusedCalls: 0,
        costMicro: Number(costs.get('default')),
        reportedMicro: 0,
      },
    ]);
    expect(margins.models.find(({ modelId }: { modelId: string }) => modelId === 'ember-image').status).toBe(
      'ok',
    );
    expectEnvelope(await get('margins?from=2026-02-30'), {
      status: 400,
      code: 'INVALID_REQUEST',
      param: 'from',
    });
  });

  it('leaves the token in no log line', async () => {
    const { lines } = captureLog(world);
    await get('accounts');
    await world.get('/v1/admin/accounts', { authorization: 'Bearer a-wrong-token-of-mine' });

    expect(lines.join('\n')).not.toContain(TOKEN);
    expect(lines.join('\n')).not.toContain('a-wrong-token-of-mine');
  });
});

describe('a service', () => {
  let world: World | undefined;

  afterEach(() => world?.stop());

  it('has no admin routes at all without an admin token', async () => {
    world = await World.start({ ADMIN_TOKEN: '' });
    const unknown = await world.get('/v1/not-there');

    for (const [method, url] of ROUTES) {
      for (const authorization of ['Bearer ', `Bearer ${TOKEN}`]) {
        const answer = await world.send({ method, url, headers: { authorization } });
        expectEnvelope(answer, { status: 404, code: 'NOT_FOUND' });
        expect(answer.body.error.message).toBe(unknown.body.error.message);
      }
    }
  });

  it('lets nobody guess the admin token for long, and the operator in from another address', async () => {
    const guarded = (world = await World.start({ RATE_LIMIT_SIGN_IN: '3' }));
    const attempt = (token: string, remoteAddress = '203.0.113.5') =>
      guarded.send({
        method: 'GET',
        url: '/v1/admin/accounts',
        remoteAddress,
        headers: { authorization: `Bearer ${token}` },
      });

    // Right tokens don't count, whatever their number.
    for (let n = 0; n < 6; n += 1) expect((await attempt(TOKEN)).status).toBe(200);
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await attempt(`guess-${n}`)).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
    // A right guess after too many wrong ones looks like a wrong one.
    expect((await attempt(TOKEN)).status).toBe(429);
    expect((await attempt(TOKEN, '203.0.113.6')).status).toBe(200);

    const burst = [...Array.from({ length: 30 }, (_, n) => `guess-${n}`), TOKEN];
    const answers = await Promise.all(burst.map((token) => attempt(token, '203.0.113.7')));
    const said = answers.map(({ status }) => status);
    expect(said.filter((status) => status === 401)).toHaveLength(3);
    expect(said.filter((status) => status === 200)).toHaveLength(0);
  });
});
