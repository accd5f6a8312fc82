import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { ChatScreening } from '#work/chat/chat-screening';
import { CompletionsScreening } from '#work/chat/completions/completions-screening';
import { micro } from '#kernel/money';
import { KeyRepository } from '#people/keys/key.repository';
import { Browser } from '../support/browser';
import { expectEnvelope } from '../support/envelope';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';

const ORIGIN = 'http://127.0.0.1:3999';
const CREDITS = 1_000_000;
const MESSAGES = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };

interface Key {
  readonly id: string;
  readonly key: string;
}

/** A payer that may end after the service has identified it and before the hold. */
interface Scene {
  readonly owner: Browser;
  readonly root: Key;
  readonly child: Key;
}

type Payer = (scene: Scene) => Record<string, string>;

const ofRoot: Payer = ({ root }) => ({ 'x-api-key': root.key });
const ofChild: Payer = ({ child }) => ({ 'x-api-key': child.key });
const ofSession: Payer = ({ owner }) => ({ ...owner.cookie, origin: ORIGIN });

describe('a payer that ends while its call prepares', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await world.expectBooksToBalance();
  });
  afterAll(() => world.stop());

  const scene = async (): Promise<Scene> => {
    const owner = await Browser.registered(world);
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(owner.id), micro(BigInt(CREDITS)), `test:${owner.id}`);
    const root = await owner.makeKey();
    const made = await world.post(
      '/v1/agent/keys',
      { limitMicro: 500_000, expiresInSeconds: 3_600 },
      { 'x-api-key': root.key },
    );
    return { owner, root, child: made.body as Key };
  };
  const ban = ({ owner }: Scene) =>
    world.db.rows('update account set banned_at = now() where id = $1', [owner.id]);
  const patch = async ({ owner }: Scene, id: string, body: object): Promise<void> => {
    expect((await owner.patch(`/v1/account/keys/${id}`, body)).status).toBe(200);
  };

  const ENDINGS: readonly (readonly [string, Payer, (scene: Scene) => Promise<unknown>, string])[] = [
    [
      'a key that is deleted',
      ofRoot,
      ({ owner, root }) => owner.delete(`/v1/account/keys/${root.id}`),
      'KEY_NOT_FOUND',
    ],
    ['a key that is disabled', ofRoot, (all) => patch(all, all.root.id, { enabled: false }), 'KEY_DISABLED'],
    [
      'a key whose secret is exchanged at once',
      ofRoot,
      ({ owner, root }) => owner.post(`/v1/account/keys/${root.id}/rotate`, { overlapSeconds: 0 }),
      'KEY_NOT_FOUND',
    ],
    [
      'a key whose parent is disabled',
      ofChild,
      (all) => patch(all, all.root.id, { enabled: false }),
      'KEY_DISABLED',
    ],
    [
      'a key whose parent is deleted',
      ofChild,
      ({ owner, root }) => owner.delete(`/v1/account/keys/${root.id}`),
      'KEY_NOT_FOUND',
    ],
    [
      'a key that expires',
      ofChild,
      ({ child }) => world.db.rows('update api_key set expires_at = now() where id = $1', [child.id]),
      'KEY_EXPIRED',
    ],
    ['a key of an account that is banned', ofChild, ban, 'ACCOUNT_BANNED'],
    ['a session of an account that is banned', ofSession, ban, 'ACCOUNT_BANNED'],
    [
      'a session that is over',
      ofSession,
      ({ owner }) => world.db.rows('delete from session where account_id = $1', [owner.id]),
      'MISSING_CREDENTIALS',
    ],
  ];

  /** Ends the payer while the call is screened. */
  const callWhile = async (
    all: Scene,
    payer: Payer,
    end: (scene: Scene) => Promise<unknown>,
    completion: object | undefined,
  ): Promise<Answer> => {
    const screened = jest.fn(() => end(all));
    if (completion === undefined) {
      const screening = world.app.get(ChatScreening, { strict: false });
      jest.spyOn(screening, 'prepare').mockImplementationOnce(async () => {
        await screened();
        return undefined;
      });
    } else {
      const screening = world.app.get(CompletionsScreening, { strict: false });
      jest.spyOn(screening, 'screen').mockImplementationOnce(async () => {
        await screened();
      });
    }
    const url = completion === undefined ? '/v1/agent/chat' : '/v1/chat/completions';
    const answer = await world.post(url, { ...MESSAGES, ...completion }, payer(all));
    expect(screened).toHaveBeenCalledTimes(1);
    return answer;
  };
  const chargesOf = ({ owner }: Scene) => world.db.rows('select id from charge where payer = $1', [owner.id]);

  describe.each([
    ['a call with a fixed price', undefined],
    ['a whole completion', {}],
    ['a streamed completion', { stream: true }],
  ])('%s', (_, completion) => {
    it.each(ENDINGS)('is neither served nor charged to %s', async (_name, payer, end, code) => {
      const all = await scene();

      const answer = await callWhile(all, payer, end, completion);

      expectEnvelope(answer, { status: 401, code });
      expect(await chargesOf(all)).toEqual([]);
    });
  });

  it.each([
    ['a call with a fixed price', '/v1/agent/chat', {}],
    ['a streamed completion', '/v1/chat/completions', { stream: true }],
  ])(
    '%s is not charged to a key that is deleted while the hold waits for the account',
    async (_, url, more) => {
      const all = await scene();
      const account = creditsAccount(all.owner.id);
      let answering: Promise<Answer>[] = [];
      await world.db.transaction(async (queries) => {
        await queries.rows('select from ledger_account where id = $1 for update', [account]);
        answering = [1, 2].map(() => world.post(url, { ...MESSAGES, ...more }, ofRoot(all)));
        await expectEventually(
          async () =>
            (
              await world.db.rows(
                `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
              )
            ).length > 0,
        );
        expect((await all.owner.delete(`/v1/account/keys/${all.root.id}`)).status).toBe(200);
      });

      for (const answer of await Promise.all(answering))
        expectEnvelope(answer, { status: 401, code: 'KEY_NOT_FOUND' });
      expect(await chargesOf(all)).toEqual([]);
    },
  );

  it('a key makes no other key once its secret was exchanged in the middle of the call', async () => {
    const all = await scene();
    const keys = world.app.get(KeyRepository, { strict: false });
    const add = keys.add.bind(keys);
    jest.spyOn(keys, 'add').mockImplementationOnce(async (...given) => {
      await all.owner.post(`/v1/account/keys/${all.root.id}/rotate`, { overlapSeconds: 0 });
      return add(...given);
    });

    const made = await world.post('/v1/agent/keys', { limitMicro: 1, expiresInSeconds: 60 }, ofRoot(all));

    expectEnvelope(made, { status: 401, code: 'KEY_NOT_FOUND' });
    expect((await all.owner.get('/v1/account/keys')).body.keys).toHaveLength(1);
  });

  it('does not spoil the calls of others that are held in the same statement', async () => {
    const [ends, lives] = [await scene(), await scene()];
    const call = (all: Scene) => world.post('/v1/agent/chat', MESSAGES, ofRoot(all));
    const screening = world.app.get(ChatScreening, { strict: false });
    let come = 0;
    let go = (): void => undefined;
    const together = new Promise<void>((resolve) => (go = resolve));
    jest.spyOn(screening, 'prepare').mockImplementation(async () => {
      come += 1;
      if (come === 6) {
        await ban(ends);
        go();
      }
      await together;
      return undefined;
    });

    const answers = await Promise.all([1, 2, 3].flatMap(() => [call(ends), call(lives)]));

    expect(answers.map(({ status }) => status)).toEqual([401, 200, 401, 200, 401, 200]);
    expect(await chargesOf(ends)).toEqual([]);
  });
});
