import { modelsOrder } from './models-order';

const order = (line: string) => modelsOrder(line.split(' ').filter((word) => word !== ''));

describe('a command about models', () => {
  it.each([
    ['', { kind: 'list', text: '', json: false }],
    ['claude opus --json', { kind: 'list', text: 'claude opus', json: true }],
    ['on a b', { kind: 'change', names: ['a', 'b'], body: { forSale: true } }],
    ['off a --reason late', { kind: 'change', names: ['a'], body: { forSale: false, reason: 'late' } }],
    ['price a --percent 20', { body: { markup: '12000/10000', belowCost: false } }],
    ['price a --percent 0.5', { body: { markup: '10050/10000' } }],
    ['price a --percent=-12.25 --below-cost', { body: { markup: '8775/10000', belowCost: true } }],
    [
      'price a --input 3 --output 15.5',
      { body: { rates: { inputUsdPerMtok: '3', outputUsdPerMtok: '15.5' } } },
    ],
    ['price a --percent -20 --below-cost', { body: { markup: '8000/10000', belowCost: true } }],
    [
      'price a --input 3,6@200000 --output 15 --cache-write-1h 6',
      {
        body: {
          rates: {
            inputUsdPerMtok: { base: '3', above: [{ tokens: 200_000, usd: '6' }] },
            outputUsdPerMtok: '15',
            cacheWrite1hUsdPerMtok: '6',
          },
        },
      },
    ],
    ['price a --default', { body: { markup: null, rates: null } }],
    ['private a', { body: { private: true } }],
    ['everyone a', { body: { adultsOnly: false } }],
    [
      'undo a',
      { body: { markup: null, rates: null, private: null, adultsOnly: null, routes: null, agree: null } },
    ],
    ['agree a b --price 3/15', { kind: 'agree', names: ['a', 'b'], price: '3/15', body: {} }],
    ['agree a --price 3/15 --vendor openai --reason new', { vendor: 'openai', body: { reason: 'new' } }],
    ['routes a x y:z', { kind: 'routes', names: ['a'], routes: ['x', 'y:z'] }],
    ['routes a x --without y,z', { kind: 'routes', names: ['a'], routes: ['x'], without: ['y', 'z'] }],
    ['routes a --default', { kind: 'routes', names: ['a'], routes: [] }],
    ['export', { kind: 'export' }],
    ['gone router', { kind: 'gone', vendor: 'router' }],
    ['off --help', { kind: 'help' }],
  ])('%j is understood', (line, expected) => {
    expect(order(line)).toMatchObject(expected);
  });

  it.each([
    ['--jsno', /^There is no option --jsno. Did you mean --json\?$/],
    ['off a --reason --json', /^--reason needs a value/],
    ['off a --json=yes', /^--json takes no value/],
    ['price a --input abc --output 3', /--input abc is no price such as 3/],
    ['price a --input 3,6 --output 3', /--input 3,6 is no price/],
    ['off', /needs the name of a model/],
    ['off a --percent 20', /--percent does not belong/],
    ['opus --percent 20', /--percent does not belong/],
    ['export --reason why', /--reason does not belong/],
    ['agree', /needs the name of a model/],
    ['agree a', /agree needs --price/],
    ['agree a --price 3/15 --percent 20', /--percent does not belong/],
    ['price a --default --vendor x', /--vendor does not belong/],
    ['routes a', /its first routes or --default/],
    ['routes a x --default', /its first routes or --default/],
    ['price a', /price needs --percent/],
    ['price a --percent 20 --input 3', /price needs --percent/],
    ['price a --input 3', /price needs --percent/],
    ['price a --default --percent 3', /price needs --percent/],
    ['price a --percent -100', /is no percentage above -100/],
    ['price a --percent=-100', /is no percentage above -100/],
    ['price a --percent 1e3', /is no percentage/],
    ['price a --percent 33.333', /is no percentage .* with at most two decimals/],
    ['price a --percent 9900', /below 9900/],
    ['gone', /gone needs the name of one vendor/],
    ['gone a b', /gone needs the name of one vendor/],
  ])('%j is refused', (line, message) => {
    expect(() => order(line)).toThrow(message);
  });
});
