import type { FastifyRequest } from 'fastify';

import { pathOf } from './route';

const LONG = 'a/?#'.repeat(10_000);

const requestOf = (declared: string, url: string): FastifyRequest =>
  ({ url, routeOptions: { url: declared, config: {} } }) as unknown as FastifyRequest;

describe('the path of a request', () => {
  it.each([
    '/v1/%61gent/chat',
    '/v1/agent/chat/',
    `/v1/agent/chat#${LONG}`,
    'https://host/v1/agent/chat?a=1',
  ])('is that of its route: %.40s', (url) => {
    expect(pathOf(requestOf('/v1/agent/chat', url))).toBe('/v1/agent/chat');
  });

  it.each(['', `?${LONG}`, `#${LONG}`, '#a\nb'])(
    'has the variable part as it was sent, before %.10s',
    (more) => {
      for (const host of ['', 'http://host'])
        expect(pathOf(requestOf('/v1/models/:call', `${host}/v1/models/a%2Fb:say${more}`))).toBe(
          '/v1/models/a%2Fb:say',
        );
    },
  );
});
