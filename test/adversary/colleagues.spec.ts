import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { readEvents } from '../support/event-reader';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';

/** The cost of a call below. */
const PRICE = 2_000;
const FUNDS = 100_000;

const chatOf = (words: string) => ({ messages: [{ role: 'user', content: words }], max_tokens: 16 });

describe('a colleague', () => {
  let world: World;
  let base: string;
  let ann: Browser;
  let org: string;

  beforeAll(async () => {
    world = await World.start();
    base = await world.listen();
  });

  beforeEach(async () => {
    ann = await Browser.registered(world);
    org = await ann.founds();
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(org), micro(BigInt(FUNDS)), `test:${org}`);
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const memberUrl = (who: Browser) => `/v1/account/organisations/${org}/members/${who.id}`;
  const codeOf = ({ status, body }: Answer) => `${status} ${body.error?.code}`;
  const balance = async () => (await ann.get('/v1/account')).body.balanceMicro as number;
  const chat = (key: string, more: Record<string, string> = {}) =>
    world.post('/v1/agent/chat', chatOf('hello'), { 'x-api-key': key, ...more });
  const operator = () => ({ authorization: `Bearer ${world.settings.admins[0]!.token}` });

  /** The statements of the service that wait for a row lock. */
  const waiting = (count: number) =>
    expectEventually(async () => {
      const rows = await world.db.rows(
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows.length === count;
    });

  it('who was removed gets nowhere with the session that is still open, and their stream ends', async () => {
    const dev = await ann.colleague('developer');
    const { key } = await dev.makeKey();
    const url = `${base}/v1/agent/events`;
    const theirs = { ...(dev.cookie as Record<string, string>), 'x-organisation': org };
    const streams = [theirs, { 'x-api-key': key }].map((headers) => readEvents(url, headers, () => false));
    await expectEventually(async () => {
      const [row] = await world.db.rows<{ open: string }>(
        'select coalesce(sum(open), 0) as open from open_stream where whose = $1',
        [`owner ${org}`],
      );
      return Number(row?.open) === 2;
    });

    expect((await ann.delete(memberUrl(dev))).status).toBe(200);

    for (const { ended, status } of await Promise.all(streams))
      expect({ ended, status }).toEqual({ ended: true, status: 200 });
    for (const answer of [
      await dev.get('/v1/account'),
      await dev.get('/v1/account/keys'),
      await dev.get('/v1/agent/jobs'),
      await dev.get(`/v1/account/organisations/${org}/members`),
      await dev.post('/v1/agent/chat', chatOf('hello')),
      await dev.post('/v1/agent/keys', { limitMicro: 1_000, expiresInSeconds: 60 }),
      await dev.post('/v1/account/keys', { name: 'back door', expiresInDays: null }),
      await dev.post('/v1/account/billing/top-up', { usd: 5 }),
    ])
      expect(codeOf(answer)).toBe('404 NOT_FOUND');
    expect(codeOf(await chat(key))).toBe('401 KEY_DISABLED');
    expect(await balance()).toBe(FUNDS);
    dev.organisation = undefined;
    expect((await dev.get('/v1/account')).status).toBe(200);
  });

  it('who makes a key while being removed has one that does not work', async () => {
    const dev = await ann.colleague('developer');
    const making: Promise<Answer>[] = [];
    await world.db.transaction(async (queries) => {
      await queries.rows('delete from member where organisation_id = $1 and account_id = $2', [org, dev.id]);
      making.push(dev.post('/v1/account/keys', { name: 'late', expiresInDays: null }));
      making.push(dev.post('/v1/agent/keys', { limitMicro: 5_000, expiresInSeconds: 600 }));
      await waiting(2);
    });

    const [made, handed] = await Promise.all(making);
    expect(made).toMatchObject({ status: 201, body: { enabled: false } });
    for (const answer of [made!, handed!])
      expect(codeOf(await chat(answer.body.key as string))).toBe('401 KEY_DISABLED');
  });

  it('who enables a key while being demoted has not', async () => {
    const dev = await ann.colleague('developer');
    const { id, key } = await dev.makeKey();
    await dev.patch(`/v1/account/keys/${id}`, { enabled: false });
    let enabling: Promise<Answer> | undefined;
    await world.db.transaction(async (queries) => {
      await queries.rows(`update member set role = 'viewer' where organisation_id = $1 and account_id = $2`, [
        org,
        dev.id,
      ]);
      enabling = dev.patch(`/v1/account/keys/${id}`, { enabled: true });
      await waiting(1);
    });

    expect((await enabling!).body.state).toBe('disabled');
    expect(codeOf(await chat(key))).toBe('401 KEY_DISABLED');
  });

  it('whose account is closed keeps no key anywhere, and gets none back when it opens', async () => {
    const dev = await ann.colleague('developer');
    const { key } = await dev.makeKey();
    dev.organisation = undefined;
    const own = await dev.makeKey();

    await world.post(`/v1/admin/accounts/${dev.id}/ban`, {}, operator());
    expect(codeOf(await chat(key))).toBe('401 KEY_DISABLED');
    expect(codeOf(await chat(own.key))).toBe('401 ACCOUNT_BANNED');
    await world.post(`/v1/admin/accounts/${dev.id}/unban`, {}, operator());

    expect(codeOf(await chat(key))).toBe('401 KEY_DISABLED');
    expect(codeOf(await chat(own.key))).toBe('402 INSUFFICIENT_FUNDS');
  });

  it('who is none reads, spends and changes nothing by naming the organisation', async () => {
    const eve = await Browser.registered(world);
    const { id, key } = await ann.makeKey();
    for (const named of [org, ` ${org}`, `${org}, ${eve.id}`, `${eve.id}, ${org}`, '', '*', ann.id]) {
      eve.organisation = named;
      for (const answer of [
        await eve.get('/v1/account'),
        await eve.get('/v1/account/billing/transactions.csv'),
        await eve.get('/v1/agent/webhooks'),
        await eve.post('/v1/agent/chat', chatOf('hello')),
        await eve.post('/v1/chat/completions', chatOf('hello')),
        await eve.delete(`/v1/account/keys/${id}`),
      ])
        expect([named, codeOf(answer)]).toEqual([named, '404 NOT_FOUND']);
    }
    eve.organisation = undefined;
    expect(codeOf(await eve.patch(`/v1/account/keys/${id}`, { enabled: false }))).toBe('404 NOT_FOUND');
    const theirs = await eve.makeKey();
    expect(codeOf(await chat(theirs.key, { 'x-organisation': org }))).toBe('402 INSUFFICIENT_FUNDS');

    expect((await chat(key)).status).toBe(200);
    expect(await balance()).toBe(FUNDS - PRICE);
  });

  it('who looks on only cannot spend, by whatever way', async () => {
    const viewer = await ann.colleague('viewer');
    const image = { prompt: 'a fox', messages: chatOf('hello').messages };

    for (const url of ['chat', 'generate', 'videos', 'references', 'keys', 'webhooks'])
      expect([url, codeOf(await viewer.post(`/v1/agent/${url}`, image))]).toEqual([url, '403 ROLE_REQUIRED']);
    expect(codeOf(await viewer.post('/v1/chat/completions', chatOf('hello')))).toBe('403 ROLE_REQUIRED');
    expect(await balance()).toBe(FUNDS);
  });

  it('who passes an invite around brings in one, however many come at once', async () => {
    const others = await Promise.all([1, 2, 3, 4, 5].map(() => Browser.registered(world)));
    const { inviteUrl } = (await ann.invite({ role: 'admin' })).body as { inviteUrl: string };

    const answers = await Promise.all(others.map((one) => one.accept(inviteUrl)));

    expect(answers.map(codeOf).toSorted()).toEqual([
      '200 undefined',
      ...Array<string>(4).fill('410 INVITE_EXPIRED'),
    ]);
  });

  it('who is removed or demoted has left no access: their invites end with them', async () => {
    const [admin, fallen] = [await ann.colleague('admin'), await ann.colleague('owner')];
    const eve = await Browser.registered(world);
    const byAdmin = (await admin.invite({ role: 'admin' })).body as { inviteUrl: string };
    const byFallen = (await fallen.invite({ role: 'owner' })).body as { inviteUrl: string };
    await ann.patch(memberUrl(fallen), { role: 'admin' });
    let accepting: Promise<Answer> | undefined;
    await world.db.transaction(async (queries) => {
      await queries.rows('select from account where id = $1 for update', [org]);
      await queries.rows('delete from member where organisation_id = $1 and account_id = $2', [
        org,
        admin.id,
      ]);
      accepting = admin.accept(byAdmin.inviteUrl);
      await waiting(1);
    });

    expect(codeOf(await accepting!)).toBe('410 INVITE_EXPIRED');
    expect(codeOf(await eve.accept(byFallen.inviteUrl))).toBe('410 INVITE_EXPIRED');
    expect((await ann.get(`/v1/account/organisations/${org}/invites`)).body.invites).toEqual([]);
  });

  it.each([
    ['remove each other', 0, '404 NOT_FOUND'],
    ['leave', 1, '409 LAST_OWNER'],
  ])('who owns it together with another: both %s at once, and one stays', async (_, whom, refusal) => {
    const bob = await ann.colleague('owner');
    const pair = [ann, bob];
    let both: Promise<Answer>[] = [];
    await world.db.transaction(async (queries) => {
      await queries.rows('select from account where id = $1 for update', [org]);
      both = pair.map((one, index) => one.delete(memberUrl(pair[(index + 1 + whom) % 2]!)));
      await waiting(2);
    });

    expect((await Promise.all(both)).map(codeOf).toSorted()).toEqual(['200 undefined', refusal]);
    const [row] = await world.db.rows<{ owners: number }>(
      `select count(*)::integer as owners from member where organisation_id = $1 and role = 'owner'`,
      [org],
    );
    expect(row?.owners).toBe(1);
  });

  it('who leaves while their call runs has it answered and paid once', async () => {
    const dev = await ann.colleague('developer');
    const running = dev.post('/v1/agent/chat', chatOf('[[delay 1s]] hello'));
    await expectEventually(async () => {
      const held = await world.db.rows(`select from charge where payer = $1 and state = 'held'`, [org]);
      return held.length === 1;
    });

    expect((await dev.delete(memberUrl(dev))).status).toBe(200);

    const { status, headers } = await running;
    expect({ status, state: headers['x-charge-state'] }).toEqual({ status: 200, state: 'charged' });
    expect(await balance()).toBe(FUNDS - Number(headers['x-charge-micro']));
  });

  it("who sends a colleague's mark gets no key of theirs", async () => {
    const [one, two] = [await ann.colleague('developer'), await ann.colleague('developer')];
    const mark = { 'idempotency-key': 'a mark that two have' };
    const own = { name: 'agent', expiresInDays: 30 };
    const handed = { limitMicro: 1_000, expiresInSeconds: 60 };

    for (const [url, body] of [
      ['/v1/account/keys', own],
      ['/v1/agent/keys', handed],
    ] as const) {
      const [first, second] = [await one.post(url, body, mark), await two.post(url, body, mark)];
      expect([first.status, second.status]).toEqual([201, 201]);
      expect(second.body.key).not.toBe(first.body.key);
      expect((await one.post(url, body, mark)).body.key).toBe(first.body.key);
    }
  });
});
