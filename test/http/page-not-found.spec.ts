import { World } from '../support/world';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('an address without a page', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterAll(() => world.stop());

  it.each(['/nowhere', '/account/nowhere', '/guides/nowhere', '/checkout/nowhere'])(
    'answers a browser with a page: %s',
    async (path) => {
      const answer = await world.get(path, BROWSER);

      expect([answer.status, answer.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
      expect(answer.body).toContain('<title>Page not found · Lamppost</title>');
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'");
    },
  );

  it.each([
    ['/nowhere', {}],
    ['/nowhere', { accept: 'application/json' }],
    ['/v1/nowhere', BROWSER],
    ['/v1/agent/jobs/nowhere', BROWSER],
    ['/mcp/nowhere', BROWSER],
  ])('answers a program, and every call of the API, with the usual error: %s %j', async (path, headers) => {
    const answer = await world.get(path, headers);

    expect([answer.status, answer.body.error?.code]).toEqual([404, 'NOT_FOUND']);
  });

  it('says which method an address takes, to a browser too', async () => {
    const answer = await world.get('/v1/agent/chat', BROWSER);

    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
  });

  it('echoes nothing of the address', async () => {
    const answer = await world.get('/%3Cscript%3Ealert(1)%3C/script%3E', BROWSER);

    expect(answer.status).toBe(404);
    expect(answer.body).not.toContain('alert(1)');
  });
});
