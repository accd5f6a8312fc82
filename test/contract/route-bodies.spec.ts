import type { JsonSchema } from '../support/schema-values';
import type { World } from '../support/world';
import { otherPrices } from './route-bodies';

type Body = Readonly<Record<string, unknown>>;

const PATH = '/v1/agent/prints';
const SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  PrintsBody: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      copies: { type: 'integer', minimum: 1, maximum: 500 },
      extras: { type: 'array', items: { type: 'string' } },
      pages: { type: 'array', items: { $ref: '#/components/schemas/Page' } },
      finish: { $ref: '#/components/schemas/Finish' },
    },
  },
  Page: {
    type: 'object',
    required: ['name'],
    properties: { name: { type: 'string' }, large: { type: 'boolean' } },
  },
  Finish: {
    type: 'object',
    required: ['colour'],
    properties: { colour: { type: 'string', enum: ['red'] }, glossy: { type: 'boolean' } },
  },
};
const DOCUMENT = {
  paths: {
    [PATH]: {
      post: {
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/PrintsBody' } } },
        },
        'x-payment-info': { price: { min: '0.001', max: '1' } },
      },
    },
  },
  components: { schemas: SCHEMAS },
};

/** A service with one paid route, whose pricer is the function. */
const pricedBy = (price: (body: never) => number): World =>
  ({
    get: () => Promise.resolve({ body: DOCUMENT }),
    post: (_: string, body: never) => Promise.resolve({ status: 200, body: { priceMicro: price(body) } }),
  }) as unknown as World;

describe('the contract of routes finds another price', () => {
  it.each<[string, Body, (body: never) => number]>([
    ['of a number that is large', {}, ({ copies = 1 }: { copies?: number }) => (copies > 100 ? 2 : 1)],
    ['of a list that the example lacks', {}, ({ extras = [] }: { extras?: string[] }) => extras.length],
    [
      'of a field in such a list',
      {},
      ({ pages = [] }: { pages?: { name: string; large?: boolean }[] }) =>
        pages.filter(({ name, large }) => name !== '' && large === true).length,
    ],
    [
      'of an object that the example lacks',
      {},
      ({ finish }: { finish?: Body }) => (finish?.['colour'] === 'red' && finish['glossy'] === true ? 2 : 1),
    ],
    [
      'of a field that an object of the example lacks',
      { finish: { colour: 'red' } },
      ({ finish }: { finish: Body }) => (finish['glossy'] === true ? 2 : 1),
    ],
  ])('%s', async (_, example, price) => {
    const others = await otherPrices(pricedBy(price), PATH, { text: 'a fox', ...example });

    expect(others.length).toBeGreaterThan(0);
  });
});
