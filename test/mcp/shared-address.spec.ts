import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { Browser } from '../support/browser';
import { OauthBrowser, StrictApp, askTools } from '../support/oauth-browser';
import { World } from '../support/world';

const FREE = 12;

/** A hosted client calls for all its users from one address. */
describe('users of one hosted client', () => {
  let world: World;
  let app: StrictApp;

  beforeAll(async () => {
    world = await World.start({ RATE_LIMIT_FREE: String(FREE) });
    app = new StrictApp(world);
    await app.register();
  });
  afterAll(() => world.stop());

  const connected = async (isPaying = true): Promise<string> => {
    const person = await Browser.registered(world);
    if (isPaying) {
      const funds = world.app.get(AccountFunds, { strict: false });
      await funds.topUp(creditsAccount(person.id), micro(1_000_000n), `test:${person.id}`);
    }
    const { body } = await app.connect(new OauthBrowser(world, person.cookie['cookie']));
    return body.access_token as string;
  };
  const statusesOf = async (token: string, count: number): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (let calls = 0; calls < count; calls += 1)
      statuses.push((await askTools(world, token, 'ping')).status);
    return statuses;
  };
  const listing = (token: string) =>
    askTools(world, token, 'tools/call', { name: 'list_models', arguments: {} });

  it('who pay have messages of their own, also for tools without a price', async () => {
    const [one, two] = [await connected(), await connected()];

    expect((await statusesOf(one, 2 * FREE + 1)).indexOf(429)).toBe(FREE);
    expect((await askTools(world, two, 'ping')).headers['ratelimit-remaining']).toBe(String(FREE - 1));
    for (let calls = 0; calls < FREE; calls += 1) await world.get('/v1/agent/models');
    expect((await world.get('/v1/agent/models')).status).toBe(429);
    const { result } = await listing(two);
    expect(result?.['isError']).toBeUndefined();
  });

  it('who never paid share the messages of their address', async () => {
    const [one, two] = [await connected(false), await connected(false)];

    const statuses = [...(await statusesOf(one, 7)), ...(await statusesOf(two, 7))];

    expect(statuses.indexOf(429)).toBe(FREE);
  });
});
