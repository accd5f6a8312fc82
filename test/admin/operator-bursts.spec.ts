import { World } from '../support/world';

describe('the limit of operator tokens', () => {
  let world: World;
  beforeAll(async () => {
    world = await World.start({ RATE_LIMIT_SIGN_IN: '3' });
  });
  afterAll(() => world.stop());

  it('lets an operator send many calls at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 30 }, () =>
        world.get('/v1/admin/accounts', { authorization: 'Bearer an-admin-token-for-tests' }),
      ),
    );
    expect(answers.filter(({ status }) => status !== 200)).toHaveLength(0);
  });
});
