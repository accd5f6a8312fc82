import { rolesFor } from './roles';

describe('who may call a route with a session', () => {
  it.each([
    ['GET', '/v1/account/keys', ['owner', 'admin', 'developer', 'billing', 'viewer']],
    ['HEAD', '/v1/account/keys', ['owner', 'admin', 'developer', 'billing', 'viewer']],
    ['POST', '/v1/account/keys', ['owner', 'admin', 'developer']],
    ['POST', '/v1/account/billing/top-up', ['owner', 'admin', 'billing']],
    ['GET', '/v1/agent/jobs', ['owner', 'admin', 'developer', 'billing', 'viewer']],
    ['DELETE', '/v1/agent/keys/:id', ['owner', 'admin', 'developer']],
    ['POST', '/v1/chat/completions', ['owner', 'admin', 'developer']],
    ['POST', '/v1/messages', ['owner', 'admin', 'developer']],
    ['POST', '/v1/responses', ['owner', 'admin', 'developer']],
    ['POST', '/mcp', ['owner', 'admin', 'developer']],
  ])('is a matter of the role: %s %s', (method, route, roles) => {
    expect(rolesFor(method, route)).toEqual(roles);
  });

  it('is the person alone where it is about the person', () => {
    expect(rolesFor('POST', '/v1/account/password')).toBeUndefined();
  });

  it.each([
    ['DELETE', '/v1/account/keys'],
    ['GET', '/v1/account/secrets'],
    ['POST', '/v1/account/register'],
    ['OPTIONS', '/v1/account'],
  ])('is nobody where nothing is said of it: %s %s', (method, route) => {
    expect(() => rolesFor(method, route)).toThrow('which roles may');
  });
});
