import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import { type Answer, World } from '../support/world';
import { Receiver } from './receiver';

const PATH = '/v1/agent/webhooks';
const codeOf = ({ status, body }: Answer): string => `${status} ${body.error?.code ?? ''}`.trim();

describe('the endpoints of an organisation', () => {
  let world: World;
  let owner: Browser;
  let developer: Browser;

  beforeAll(async () => {
    world = await World.start({ FETCH_ALLOW_HOSTS: '127.0.0.1' });
    owner = await Browser.registered(world);
    await owner.founds();
    developer = await owner.colleague('developer');
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(owner.organisation!), micro(10_000_000n), 'test:organisation');
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const made = async (by: Browser): Promise<string> => {
    const answer = await by.post(PATH, { url: 'http://127.0.0.1:9/hook' });
    expect(answer.status).toBe(201);
    return answer.body.id as string;
  };

  const changes = async (
    id: string,
    send: (method: 'PATCH' | 'POST' | 'DELETE', url: string, body?: object) => Promise<Answer>,
  ): Promise<string[]> => [
    codeOf(await send('POST', `${PATH}/${id}/rotate`, { overlapSeconds: 60 })),
    codeOf(await send('PATCH', `${PATH}/${id}`, { types: ['job.done'] })),
    codeOf(await send('DELETE', `${PATH}/${id}`)),
  ];

  const REFUSED = Array<string>(3).fill('404 NOT_FOUND');
  const DONE = Array<string>(3).fill('200');

  it('are seen and changed by a developer only where the developer made them', async () => {
    const [theirs, own] = [await made(owner), await made(developer)];
    const send = developer.send.bind(developer);
    expect(await changes(theirs, send)).toEqual(REFUSED);
    expect(await changes(own, send)).toEqual(DONE);
    expect(codeOf(await developer.get(`${PATH}/${theirs}`))).toBe('404 NOT_FOUND');
    expect(await changes(theirs, owner.send.bind(owner))).toEqual(DONE);
  });

  it('take no types of events that their maker never receives', async () => {
    const { key } = await developer.makeKey();
    const url = 'http://127.0.0.1:9/hook';
    const types = ['job.done', 'balance.low', 'spend.high'];
    for (const refused of [
      await developer.post(PATH, { url, types }),
      await world.post(PATH, { url, types }, { 'x-api-key': key }),
    ]) {
      expect(codeOf(refused)).toBe('400 INVALID_REQUEST');
      expect(refused.body.error.param).toBe('types');
      expect(refused.body.error.message).toContain('balance.low, spend.high');
    }
    const delegated = await world.post(
      '/v1/agent/keys',
      { limitMicro: 1_000, expiresInSeconds: 3_600, scopes: { routes: ['webhooks'] } },
      { 'x-api-key': key },
    );
    const below = { 'x-api-key': delegated.body.key as string };
    expect(codeOf(await world.post(PATH, { url, types: ['key.expiring'] }, below))).toBe(
      '400 INVALID_REQUEST',
    );

    const own = await developer.post(PATH, { url, types: ['job.done', 'reference.ready', 'key.expiring'] });
    expect(codeOf(own)).toBe('201');
    const at = `${PATH}/${own.body.id as string}`;
    expect(codeOf(await developer.patch(at, { types: ['balance.low'] }))).toBe('400 INVALID_REQUEST');
    expect(codeOf(await owner.patch(at, { types: ['balance.low'] }))).toBe('400 INVALID_REQUEST');
    expect(codeOf(await owner.patch(at, { url: `${url}/2`, types: ['balance.low'] }))).toBe('200');
    const all = await made(developer);
    const { body } = await developer.get(`${PATH}/${all}`);
    expect(codeOf(await developer.patch(`${PATH}/${all}`, { types: body.types }))).toBe('200');
    for (const id of [own.body.id as string, all]) await owner.delete(`${PATH}/${id}`);
  });

  it('are changed by a key of a developer only where the developer made them, by whatever key', async () => {
    const keys = [await developer.makeKey(), await developer.makeKey()];
    const [one, other] = keys.map(
      ({ key }) =>
        (method: 'PATCH' | 'POST' | 'DELETE', url: string, body?: object): Promise<Answer> =>
          world.send({
            method,
            url,
            headers: { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) },
            ...(body && { payload: JSON.stringify(body) }),
          }),
    );
    const theirs = await made(owner);
    expect(await changes(theirs, one!)).toEqual(REFUSED);
    const own = (await one!('POST', PATH, { url: 'http://127.0.0.1:9/hook' })).body.id as string;
    expect(await changes(own, other!)).toEqual(DONE);
    const { key } = await owner.makeKey();
    expect(
      codeOf(await world.post(`${PATH}/${theirs}/rotate`, { overlapSeconds: 0 }, { 'x-api-key': key })),
    ).toBe('200');
  });
});

describe('the endpoint of a wallet that is sanctioned later', () => {
  it('receives nothing any more', async () => {
    const database = await cloneDatabase();
    const receiver = await new Receiver().start();
    const env = { DATABASE_URL: database, FETCH_ALLOW_HOSTS: '127.0.0.1' };
    const before = await World.start(env);
    const wallet = await new WalletCaller().fund(before, 1_000_000n);
    const made = await before.post(
      PATH,
      { url: receiver.url },
      { 'sign-in-with-x': await wallet.signIn(before) },
    );
    expect(made.status).toBe(201);
    await before.stop();
    const file = join(mkdtempSync(join(tmpdir(), 'lamppost-sanctions-')), 'wallets');
    writeFileSync(file, wallet.wallet);
    const world = await World.start({ ...env, SANCTIONED_WALLETS_FILE: file });

    await world.db.rows(
      `insert into event (id, owner, type, data) values ('evt_sanctioned', $1, 'balance.low', '{}')`,
      [wallet.wallet.toLowerCase()],
    );
    const delivery = (): Promise<unknown> =>
      world.db.one(`select state, last_error from webhook_delivery where event_id = 'evt_sanctioned'`);
    await expectEventually(
      async () => ((await delivery()) as { state?: string } | undefined)?.state === 'failed',
    );

    expect(await delivery()).toMatchObject({ last_error: 'the wallet cannot be served' });
    expect(receiver.received.filter(({ id }) => id === 'evt_sanctioned')).toEqual([]);
    await world.expectBooksToBalance();
    await world.stop();
    await receiver.stop();
  });
});
