import fastify, { type FastifyInstance } from 'fastify';

import { EVERYBODY, LEADS, MAKERS, PERSON, PAYERS, type Who } from '../roles';
import { AccountRoutes } from './account-routes';
import { rolesFor, sessionRule } from './session-rule';

describe('who may call a route with a session', () => {
  let instance: FastifyInstance;
  let routes: AccountRoutes;

  beforeEach(() => {
    instance = fastify();
    routes = new AccountRoutes();
    routes.watch(instance);
  });
  afterEach(() => instance.close());

  const add = (method: string, url: string, who?: Who): void => {
    instance.route({
      method,
      url,
      config: { options: who === undefined ? {} : sessionRule({ who }) } as never,
      handler: (request) => ({ roles: rolesFor(request) ?? 'any' }),
    });
  };
  const rolesAt = async (method: 'GET' | 'HEAD' | 'POST', url: string): Promise<unknown> =>
    (await instance.inject({ method, url })).json<{ roles: unknown }>().roles;

  it('are the roles that the route names', async () => {
    add('POST', '/v1/account/keys', MAKERS);
    add('POST', '/v1/account/password', PERSON);

    expect(await rolesAt('POST', '/v1/account/keys')).toEqual(MAKERS);
    expect(await rolesAt('POST', '/v1/account/password')).toBe('any');
  });

  it('on the agent API are all roles to read, and the makers to change something', async () => {
    add('GET', '/v1/agent/jobs');
    add('POST', '/v1/messages');

    expect(await rolesAt('GET', '/v1/agent/jobs')).toEqual([
      'owner',
      'admin',
      'developer',
      'billing',
      'viewer',
    ]);
    expect(await rolesAt('POST', '/v1/messages')).toEqual(['owner', 'admin', 'developer']);
  });

  it('is never asked where everybody may call the route', async () => {
    add('POST', '/v1/account/register', EVERYBODY);

    expect((await instance.inject({ method: 'POST', url: '/v1/account/register' })).statusCode).toBe(500);
  });

  it.each(['/v1/account', '/v1/account/secrets'])('has to be declared: %s', (url) => {
    expect(() => add('GET', url)).toThrow(`Nothing says who may call GET ${url}`);
  });

  it('is shown to a role as its lines', () => {
    add('GET', '/v1/account/bills', PAYERS);
    add('DELETE', '/v1/account/invites', LEADS);
    add('GET', '/v1/account/me', PERSON);

    expect(routes.linesFor('billing')).toEqual(['GET /v1/account/bills', 'read /v1/agent']);
    expect(routes.linesFor('owner')).toEqual([
      'DELETE /v1/account/invites',
      'GET /v1/account/bills',
      'change /v1/agent',
      'read /v1/agent',
    ]);
  });
});
