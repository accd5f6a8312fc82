import type { FastifyRequest } from 'fastify';

import { pathOf } from './route';

const LONG = 'a/?#'.repeat(10_000);

const requestOf = (declared: string, url: string): FastifyRequest =>
  ({ url, routeOptions: { url: declared, config: {} } }) as unknown as FastifyRequest;

describe('the path of a request', () => {
  it.each(['/ro%61d/lamp', '/road/lamp/', `/road/lamp#${LONG}`, 'https://host/road/lamp?a=1'])(
    'is that of its route: %.40s',
    (url) => {
      expect(pathOf(requestOf('/road/lamp', url))).toBe('/road/lamp');
    },
  );

  it.each(['', `?${LONG}`, `#${LONG}`, '#a\nb'])(
    'has the variable part as it was sent, before %.10s',
    (more) => {
      for (const host of ['', 'http://host'])
        expect(pathOf(requestOf('/lamps/:call', `${host}/lamps/a%2Fb:say${more}`))).toBe('/lamps/a%2Fb:say');
    },
  );
});
