import fastify, { type FastifyInstance } from 'fastify';

import type { RouteOptions } from '#platform/http/routes/route';
import { operatorScope, requireScopes } from './operator-scope';

describe('the scope of a route of operators', () => {
  let instance: FastifyInstance;

  beforeEach(() => {
    instance = fastify();
    requireScopes(instance);
  });
  afterEach(() => instance.close());

  const add = (url: string, options: RouteOptions, method = 'GET'): unknown =>
    instance.route({ method, url, config: { options } as never, handler: () => ({}) });

  it.each(['/v1/admin', '/v1/admin/secrets'])('has to be declared: %s', (url) => {
    expect(() => add(url, {})).toThrow(`Nothing says which operators may call GET ${url}`);
  });

  it('is more than to read if the route changes something', () => {
    const [read, money] = [operatorScope('read'), operatorScope('money')];

    expect(() => add('/v1/admin/secrets', read, 'POST')).toThrow('may call POST /v1/admin/secrets');
    expect(() => add('/v1/admin/secrets', money, 'POST')).not.toThrow();
  });

  it('is said by the route, and not needed elsewhere', () => {
    expect(() => add('/v1/admin/secrets', operatorScope('read'))).not.toThrow();
    expect(() => add('/v1/administrators', {})).not.toThrow();
  });
});
