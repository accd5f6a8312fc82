import { setTimeout as pause } from 'node:timers/promises';

import { AppError } from '#kernel/app-error';
import { KeyLookup } from '#people/keys/key-lookup';
import type { Database } from '#platform/database/database';
import { Browser } from '../support/browser';
import { World } from '../support/world';
import { expectEventually } from '../support/eventually';

const codeOf = async (asking: Promise<unknown>): Promise<string> => {
  try {
    await asking;
    return 'ok';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect(error.kind).toBe('unauthenticated');
    expect(error.extras.links).toEqual({
      manageKeys: 'http://127.0.0.1:3999/account/keys',
      signIn: 'http://127.0.0.1:3999/account/sign-in',
    });
    return error.code;
  }
};

/** Counts the statements named `name` on the world's pool while `work` runs. */
const countReads = async (db: Database, work: () => Promise<unknown>): Promise<number> => {
  const rows = jest.spyOn(db, 'one');
  await work();
  const reads = rows.mock.calls.filter(([, , name]) => name === 'key-by-hash').length;
  rows.mockRestore();
  return reads;
};

describe('whom a key belongs to', () => {
  let here: World;
  let there: World;
  let owner: Browser;
  let ours: KeyLookup;
  let theirs: KeyLookup;

  beforeAll(async () => {
    here = await World.start();
    there = await World.start({ DATABASE_URL: here.settings.databaseUrl! });
    ours = here.app.get(KeyLookup, { strict: false });
    theirs = there.app.get(KeyLookup, { strict: false });
  });

  beforeEach(async () => {
    owner = await Browser.registered(here);
  });

  afterEach(() => here.expectBooksToBalance());
  afterAll(async () => {
    await here.stop();
    await there.stop();
  });

  const identify = async (authority: KeyLookup, key: string) => authority.identify(key);
  const both = (key: string) => Promise.all([codeOf(identify(ours, key)), codeOf(identify(theirs, key))]);
  const expectWithin = async (ms: number, key: string, code: string) => {
    const started = performance.now();
    await expectEventually(async () => (await both(key)).every((said) => said === code));
    expect(performance.now() - started).toBeLessThan(ms);
  };

  it('is its account', async () => {
    const { id, key } = await owner.makeKey();

    expect(await identify(ours, key)).toMatchObject({ accountId: owner.id, id });
  });

  it.each([
    ['unknown', () => `lp_${'z'.repeat(64)}`],
    ['cut short', (key: string) => key.slice(0, -1)],
    ['its beginning', (key: string) => key.slice(0, 11)],
    ['too long', (key: string) => `${key}a`],
    ['in another case', (key: string) => `lp_${key.slice(3).toLowerCase()}A`.slice(0, 67)],
    ['with another beginning', (key: string) => `LP_${key.slice(3)}`],
    ['with a twin of a letter', (key: string) => `lp_а${key.slice(4)}`],
    ['SQL', () => `lp_' or true --`],
    ['empty', () => ''],
  ])('is nobody when it is %s', async (_, twist) => {
    const { key } = await owner.makeKey();

    expect(await codeOf(identify(ours, twist(key)))).toBe('KEY_NOT_FOUND');
  });

  it('is said without a round trip while the key is in use', async () => {
    const { key } = await owner.makeKey();

    const reads = await countReads(here.db, async () => {
      await Promise.all(Array.from({ length: 100 }, () => identify(ours, key)));
      await Promise.all(Array.from({ length: 100 }, () => identify(ours, key)));
    });

    expect(reads).toBe(1);
  });

  it('is looked up again after a second, even if no notice comes', async () => {
    const { key } = await owner.makeKey();
    await identify(ours, key);
    await here.db.transaction(async (queries) => {
      // The trigger is off for this one change, as if its notification were lost.
      await queries.rows('alter table api_key disable trigger api_key_changed');
      await queries.rows('update api_key set enabled = false where account_id = $1', [owner.id]);
      await queries.rows('alter table api_key enable trigger api_key_changed');
    });

    expect(await codeOf(identify(ours, key))).toBe('ok');
    await pause(1_010);
    expect(await codeOf(identify(ours, key))).toBe('KEY_DISABLED');
  });

  it('changes on all instances within a second of being disabled, enabled and deleted', async () => {
    const { id, key } = await owner.makeKey();
    expect(await both(key)).toEqual(['ok', 'ok']);

    await owner.patch(`/v1/account/keys/${id}`, { enabled: false });
    await expectWithin(500, key, 'KEY_DISABLED');
    await owner.patch(`/v1/account/keys/${id}`, { enabled: true });
    await expectWithin(500, key, 'ok');
    await owner.delete(`/v1/account/keys/${id}`);
    await expectWithin(500, key, 'KEY_NOT_FOUND');
  });

  it('is refused with a code for each reason, a closed account first', async () => {
    const { id, key } = await owner.makeKey({ expiresInDays: 30 });
    await owner.patch(`/v1/account/keys/${id}`, { enabled: false });
    await expectWithin(500, key, 'KEY_DISABLED');

    await here.db.rows(`update api_key set expires_at = now() where id = $1`, [id]);
    await expectWithin(500, key, 'KEY_EXPIRED');
    await here.db.rows(`update account set banned_at = now() where id = $1`, [owner.id]);
    await expectWithin(500, key, 'ACCOUNT_BANNED');
    await here.db.rows(`update account set banned_at = null where id = $1`, [owner.id]);
    await expectWithin(500, key, 'KEY_EXPIRED');
  });

  it('stops for every key of an account that is closed in the middle of their use', async () => {
    const keys = await Promise.all([owner.makeKey(), owner.makeKey(), owner.makeKey()]);
    const bystander = await (await Browser.registered(here)).makeKey();
    let banned = false;
    const late: string[] = [];
    const use = async (key: string, authority: KeyLookup) => {
      for (const end = Date.now() + 1_500; Date.now() < end; await pause(5)) {
        const since = banned;
        if ((await codeOf(identify(authority, key))) === 'ok' && since) late.push(key);
      }
    };

    const uses = keys.flatMap(({ key }) => [use(key, ours), use(key, theirs)]);
    await pause(300);
    await here.db.rows(`update account set banned_at = now() where id = $1`, [owner.id]);
    await pause(200);
    banned = true;
    await Promise.all(uses);

    expect(late).toEqual([]);
    expect(await both(bystander.key)).toEqual(['ok', 'ok']);
  });

  it('is never cached from before a change that was notified meanwhile', async () => {
    const { id, key } = await owner.makeKey();

    for (let n = 0; n < 20; n += 1) {
      const enabled = n % 2 === 1;
      const asked = Promise.all(Array.from({ length: 5 }, () => codeOf(identify(ours, key))));
      await owner.patch(`/v1/account/keys/${id}`, { enabled });
      await asked;
      await expectWithin(500, key, enabled ? 'ok' : 'KEY_DISABLED');
    }
  });
});
