import { AlertsProcessor } from '#notices/alerts/alerts.processor';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { KeyCaller, WalletCaller } from '../support/caller';
import { World } from '../support/world';

const CHAT = { messages: [{ role: 'user', content: 'Say something short.' }], max_tokens: 64 };
const IMAGE = { modelId: 'ember-image', prompt: 'A lamp' };

describe('alerts', () => {
  let world: World;
  let caller: KeyCaller;
  let headers: { 'x-api-key': string };
  let signedIn: { cookie: string; origin: string };

  beforeAll(async () => {
    world = await World.start();
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const register = async (credits: bigint, more: object = {}): Promise<void> => {
    caller = await KeyCaller.register(world, credits, more);
    headers = { 'x-api-key': caller.key };
    signedIn = { cookie: caller.cookie, origin: world.settings.http.publicUrl };
  };
  const topUp = (amount: bigint, source: string) =>
    world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(caller.accountId), micro(amount), `${caller.accountId}:${source}`);
  const runAlerts = () => world.app.get(AlertsProcessor, { strict: false }).run();
  /** The alerts of a type. Two concurrent runs must send one. */
  const reported = async (type: string, owner = caller.accountId) => {
    await Promise.all([runAlerts(), runAlerts()]);
    const rows = await world.db.rows<{ data: object }>(
      'select data from event where owner = $1 and type = $2 order by created_at, id',
      [owner, type],
    );
    return rows.map(({ data }) => data);
  };
  const set = (body: object) =>
    world.send({ method: 'PUT', url: '/v1/account/alerts', headers: signedIn, payload: body });
  const standing = async () =>
    (await world.get('/v1/account/alerts', signedIn)).body.standing as { type: string; data: object }[];

  it('report a low balance once, however it moves below, and again only when it was well above', async () => {
    await register(1_000_500n);
    expect(await reported('balance.low')).toEqual([]);

    await world.post('/v1/agent/chat', CHAT, headers);
    await world.post('/v1/agent/chat', CHAT, headers);
    const [first, ...more] = await reported('balance.low');
    await world.post('/v1/agent/chat', CHAT, headers);
    expect([more, await reported('balance.low')]).toEqual([[], [first]]);
    expect(first).toEqual({ balanceMicro: expect.any(Number) as number, limitMicro: 1_000_000 });
    expect(await standing()).toMatchObject([{ type: 'balance.low', data: first }]);

    await topUp(50_000n, 'a little');
    expect(await reported('balance.low')).toHaveLength(1);
    expect(await standing()).toHaveLength(1);

    await topUp(1_000_000n, 'enough');
    expect(await reported('balance.low')).toHaveLength(1);
    expect(await standing()).toEqual([]);

    await set({ balanceLowMicro: 100_000_000 });
    expect(await reported('balance.low')).toHaveLength(2);
    await set({ balanceLowMicro: 0 });
    expect([await reported('balance.low'), await standing()]).toMatchObject([{ length: 2 }, []]);
    // Without SMTP_URL no mail is stored, so none is sent after SMTP_URL is set.
    expect(await world.db.rows('select from alert_mail')).toEqual([]);
  });

  it('report a day of high spending once a day, to those who asked', async () => {
    await register(10_000_000n);
    await world.post('/v1/agent/generate', IMAGE, headers);
    expect(await reported('spend.high')).toEqual([]);

    await set({ spendDayMicro: 1 });
    const [first, ...more] = await reported('spend.high');
    await world.post('/v1/agent/generate', IMAGE, headers);

    expect([more, await reported('spend.high')]).toEqual([[], [first]]);
    expect(first).toEqual({
      day: new Date().toISOString().slice(0, 10),
      spentMicro: expect.any(Number) as number,
      limitMicro: 1,
    });
    await world.db.rows(`update alert set subject = '2000-01-01' where owner = $1`, [caller.accountId]);
    expect(await reported('spend.high')).toHaveLength(2);
  });

  it('report each part of its limit that a key has spent, once, and again when the limit was raised', async () => {
    await register(10_000_000n, { spendLimitMicro: 1_000_000 });
    const spend = (amount: number) =>
      world.db.rows(
        `insert into key_spend as k (key_id, day, spent_micro, calls) values ($1, (now() at time zone 'utc')::date, $2, 1)
         on conflict (key_id, day) do update set spent_micro = excluded.spent_micro`,
        [caller.keyId, amount],
      );
    await spend(799_999);
    expect(await reported('key.limit_near')).toEqual([]);

    await spend(800_000);
    await spend(790_000);
    await spend(850_000);
    expect(await reported('key.limit_near')).toMatchObject([
      { id: caller.keyId, percent: 80, window: '30 days', spentMicro: 850_000, limitMicro: 1_000_000 },
    ]);
    await spend(1_000_000);
    expect(await reported('key.limit_near')).toMatchObject([{ percent: 80 }, { percent: 100 }]);

    await world.send({
      method: 'PATCH',
      url: `/v1/account/keys/${caller.keyId}`,
      headers: signedIn,
      payload: { spendLimitMicro: 2_000_000 },
    });
    expect([await reported('key.limit_near'), await standing()]).toMatchObject([{ length: 2 }, []]);
    await spend(1_600_000);
    expect(await reported('key.limit_near')).toMatchObject([{}, {}, { percent: 80, limitMicro: 2_000_000 }]);
    await world.db.rows('delete from key_spend where key_id = $1', [caller.keyId]);
  });

  it('look at every limit of a key, and at keys that were handed on', async () => {
    await register(10_000_000n, {
      spendLimits: { dayMicro: 1_000_000, monthMicro: 2_000_000, totalMicro: 1_250_000 },
    });
    const handed = await world.post(
      '/v1/agent/keys',
      { limitMicro: 500_000, expiresInSeconds: 600 },
      headers,
    );
    const spend = (key: string, amount: number, day = 0) =>
      world.db.rows(
        `insert into key_spend as k (key_id, day, spent_micro, calls)
         values ($1, (now() at time zone 'utc')::date - $3::integer, $2, 1)
         on conflict (key_id, day) do update set spent_micro = excluded.spent_micro`,
        [key, amount, day],
      );
    await spend(caller.keyId, 150_000, 40);
    await spend(caller.keyId, 850_000);
    await spend(handed.body.id as string, 500_000);

    const alerts = (await reported('key.limit_near')) as Record<string, unknown>[];
    const said = alerts.map(({ id, window, percent, spentMicro, limitMicro }) =>
      [id === caller.keyId ? 'root' : 'handed', window, percent, spentMicro, limitMicro].join(' '),
    );
    expect(said.toSorted()).toEqual([
      'handed total 100 500000 500000',
      'handed total 80 500000 500000',
      'root day 80 850000 1000000',
      'root total 80 1000000 1250000',
    ]);
    await world.db.rows(`update key_spend set day = day - 1 where key_id = $1 and spent_micro = 850000`, [
      caller.keyId,
    ]);
    await reported('key.limit_near');
    expect((await standing()).filter(({ data }) => 'window' in data && data.window === 'day')).toEqual([]);
    expect(await reported('key.limit_near')).toHaveLength(4);
    await world.db.rows('delete from key_spend where key_id = any($1)', [[caller.keyId, handed.body.id]]);
  });

  it('report that a key will expire, once, and of no key that was made for days only', async () => {
    await register(0n, { expiresInDays: 30 });
    const expires = (seconds: number, made: number) =>
      world.db.rows(
        `update api_key set expires_at = now() + make_interval(secs => $2), created_at = now() - make_interval(days => $3)
         where id = $1`,
        [caller.keyId, seconds, made],
      );
    expect(await reported('key.expiring')).toEqual([]);
    await expires(86_400, 1);
    expect(await reported('key.expiring')).toEqual([]);

    await expires(86_400, 20);
    expect(await reported('key.expiring')).toEqual([
      {
        id: caller.keyId,
        name: expect.any(String) as string,
        prefix: caller.key.slice(0, 11),
        expiresAt: expect.stringMatching(/^20..-..-..T.*Z$/) as string,
      },
    ]);
    expect(await reported('key.expiring')).toHaveLength(1);
    await expires(30 * 86_400, 20);
    expect([await reported('key.expiring'), await standing()]).toMatchObject([{ length: 1 }, []]);
    await expires(86_400, 20);
    expect(await reported('key.expiring')).toHaveLength(2);
  });

  it('are set by wallets for themselves, and by no key', async () => {
    const wallet = await new WalletCaller().fund(world, 2_000_000n);
    const owner = wallet.wallet.toLowerCase();
    const put = async (payload: object, by?: Record<string, string>) =>
      world.send({
        method: 'PUT',
        url: '/v1/agent/alerts',
        headers: by ?? { 'sign-in-with-x': await wallet.signIn(world) },
        payload,
      });
    await register(0n);

    const answer = await put({ balanceLowMicro: 3_000_000, keyPercent: [50] });
    const bad = await Promise.all([
      put({ keyPercent: [0] }),
      put({ spendDayMicro: 0 }),
      put({}, headers),
      put({}, {}),
    ]);

    expect(answer.body).toEqual({ balanceLowMicro: 3_000_000, keyPercent: [50], standing: [] });
    expect(bad.map(({ status }) => status)).toEqual([400, 400, 401, 401]);
    expect(await reported('balance.low', owner)).toEqual([
      { balanceMicro: 2_000_000, limitMicro: 3_000_000 },
    ]);
    const shown = await world.get('/v1/agent/alerts', { 'sign-in-with-x': await wallet.signIn(world) });
    expect(shown.body.standing).toMatchObject([{ type: 'balance.low' }]);
    expect((await world.get('/v1/agent/alerts', headers)).body.standing).toEqual([]);
  });
});
