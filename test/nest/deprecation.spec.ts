import './team/in-the-list';

import type { OpenAPIObject } from '@nestjs/swagger';

import { Deprecated } from '#platform/http/routes/deprecation';
import { KeyCaller } from '../support/caller';
import { type Answer, World } from '../support/world';

/** The public address is below a path of a proxy. */
const BELOW = 'http://127.0.0.1:3999/lamps';
const BASE = '/v1/team/deprecated';
const ROUTE = {
  deprecation: `@${Date.UTC(2026, 11, 1) / 1_000}`,
  sunset: 'Wed, 01 Dec 2027 00:00:00 GMT',
  link: [
    `<${BELOW}/docs>; rel="deprecation"; type="text/html"`,
    `<${BELOW}/docs>; rel="sunset"; type="text/html"`,
    `<${BELOW}/v1/team/deprecated/fields>; rel="successor-version"`,
  ].join(', '),
};

describe('@Deprecated', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start({ PUBLIC_URL: BELOW });
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const announced = ({ headers }: Answer) =>
    Object.fromEntries(Object.keys(ROUTE).map((name) => [name, headers[name]]));
  const uses = async (): Promise<readonly string[]> => {
    const text = String((await world.get('/metrics')).body);
    return text.match(/(?<=^lamppost_deprecated_calls_total).*(?<!\} 0)$/gm) ?? [];
  };
  const nothing = { deprecation: undefined, sunset: undefined, link: undefined };

  it('announces the end of a route in each answer, and counts the calls', async () => {
    const answer = await world.get(`${BASE}/route`);

    expect([answer.status, announced(answer)]).toEqual([200, ROUTE]);
    expect(await uses()).toEqual([`{method="GET",route="${BASE}/route",field=""} 1`]);
  });

  it('announces it in refusals of a paid route, too', async () => {
    const refused = await world.post(`${BASE}/paid`, { name: 'a note' });

    expect([refused.status, refused.headers['sunset']]).toEqual([402, 'Sat, 01 Dec 2029 00:00:00 GMT']);

    const caller = await KeyCaller.register(world, 1_000_000n);
    const paid = await world.post(
      `${BASE}/paid`,
      { name: 'a note', title: 'x' },
      { 'x-api-key': caller.key },
    );
    expect([paid.status, paid.headers['sunset']]).toEqual([200, 'Sat, 01 Dec 2029 00:00:00 GMT']);
    expect(await uses()).toContain(`{method="POST",route="${BASE}/paid",field="title"} 1`);
  });

  it('announces the end of a field only to calls that use it, the one that goes first', async () => {
    const call = (query: string, body: object) =>
      world.post(`${BASE}/fields${query}`, { name: 'n', ...body });

    expect(announced(await call('?name=a', {}))).toEqual(nothing);
    expect(await call('', { title: 'b' })).toMatchObject({
      status: 200,
      headers: { sunset: 'Sat, 01 Jan 2028 00:00:00 GMT' },
    });
    expect((await call('?title=a', { title: 'b' })).headers['sunset']).toBe(ROUTE.sunset);
    expect(await uses()).toContain(`{method="POST",route="${BASE}/fields",field="title"} 3`);
  });

  it('is in the documents', async () => {
    const { body } = await world.get('/v1/extensions/openapi.json');
    const { paths, components } = body as unknown as OpenAPIObject;
    const { get } = paths[`${BASE}/route`]!;

    expect(get).toMatchObject({
      deprecated: true,
      description:
        'It greets. Deprecated since 2026-12-01, and gone from 2027-12-01 at the earliest. ' +
        'Use /v1/team/deprecated/fields instead.',
      responses: { '200': { headers: { Sunset: { $ref: '#/components/headers/Sunset' } } } },
    });
    expect(paths[`${BASE}/fields`]!.post!.deprecated).toBeUndefined();
    expect(components!.schemas!['OldBody']).toMatchObject({
      properties: {
        title: { type: 'string', maxLength: 20, deprecated: true, description: 'The old name.' },
        name: expect.not.objectContaining({ deprecated: true }),
      },
    });
  });

  it.each([
    ['2027-11-30', 'The sunset of Routes.old is less than a year after 2026-12-01: 2027-11-30.'],
    ['soon', 'soon is no day such as 2027-01-31.'],
  ])('fails the start with the sunset %s', (sunset, message) => {
    const load = () => {
      class Routes {
        @Deprecated({ since: '2026-12-01', sunset, instead: '/v1/new' })
        old(): void {}
      }
      return Routes;
    };

    expect(load).toThrow(message);
  });

  it.each(['/v1/new\r\nset-cookie: a=b', '/v1/neu-für-alle', '/v1/a>; rel="evil", </v1/b', '/v1/a b'])(
    'fails the start with the address %j, which no header may have',
    (instead) => {
      const load = () => {
        class Routes {
          @Deprecated({ since: '2026-12-01', sunset: '2027-12-01', instead })
          old(): void {}
        }
        return Routes;
      };

      expect(load).toThrow('What replaces Routes.old is no address');
    },
  );
});
