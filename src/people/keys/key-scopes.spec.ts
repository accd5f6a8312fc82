import { AddressRange } from './address-range';
import { type KeyScopes, commonScopes, refusalOf, widerScope } from './key-scopes';

const USE = { route: 'chat', modelId: 'wick', priceMicro: 2_000n, ip: '203.0.113.7' } as const;

describe('scopes of a key', () => {
  it.each<[KeyScopes, string | undefined]>([
    [{}, undefined],
    [{ routes: ['chat'], models: ['wick'], priceMicroMax: 2_000, ips: ['203.0.113.0/24'] }, undefined],
    [{ routes: ['image'] }, 'routes'],
    [{ routes: [] }, 'routes'],
    [{ models: [] }, 'models'],
    [{ models: ['ember'] }, 'models'],
    [{ priceMicroMax: 1_999 }, 'priceMicroMax'],
    [{ ips: ['203.0.112.0/24'] }, 'ips'],
    // Addresses come first and have no hint; the other scopes name the allowed values.
    [{ ips: ['10.0.0.0/8'], routes: [] }, 'ips'],
  ])('%j refuse a call by %s', (scopes, refused) => {
    expect(refusalOf(scopes, USE)?.scope).toBe(refused);
  });

  it('that name routes refuse one that has no name', () => {
    expect(refusalOf({ routes: ['chat'] }, { ip: '::1' })?.scope).toBe('routes');
    expect(refusalOf({ models: ['wick'], priceMicroMax: 1 }, { ip: '::1' })).toBeUndefined();
  });

  it('say what would pass, but of an address nothing', () => {
    expect(refusalOf({ routes: ['image', 'read'] }, USE)?.reason).toBe(
      'it works for image, read only, not for chat',
    );
    expect(refusalOf({ routes: [] }, USE)?.reason).toBe('it works for nothing only, not for chat');
    expect(refusalOf({ ips: ['10.0.0.0/8'] }, USE)?.reason).not.toContain('10.0');
  });

  const above: KeyScopes = {
    routes: ['chat', 'read'],
    models: ['wick'],
    priceMicroMax: 100,
    perMinute: 10,
    ips: ['10.0.0.0/8', '2001:db8::/32'],
  };

  it.each<[KeyScopes, string | undefined]>([
    [{}, undefined],
    [above, undefined],
    [{ routes: ['read'], ips: ['10.2.0.0/16', '2001:db8:1::/48'] }, undefined],
    [{ routes: ['read', 'image'] }, 'routes'],
    [{ models: ['wick', 'ember'] }, 'models'],
    [{ priceMicroMax: 101 }, 'priceMicroMax'],
    [{ perMinute: 11 }, 'perMinute'],
    [{ ips: ['10.0.0.0/7'] }, 'ips'],
    [{ ips: ['11.0.0.1'] }, 'ips'],
    [{ ips: ['10.0.0.1', 'nonsense'] }, 'ips'],
    [{ ips: ['::ffff:10.0.0.0/104', '::ffff:a01:0/112'] }, undefined],
    // A network of IPv6 around addresses of IPv4 may contain more of them than its base shows.
    [{ ips: ['::ffff:10.0.0.0/97'] }, 'ips'],
    [{ ips: ['::ffff:10.0.0.0/90'] }, 'ips'],
    [{ ips: ['::ffff:a00:0/97'] }, 'ips'],
    [{ ips: ['0:0:0:0:0:ffff:a00:0/97'] }, 'ips'],
  ])('%j are wider than those above in %s', (scopes, wider) => {
    expect(widerScope(scopes, above)?.scope).toBe(wider);
    expect(widerScope(scopes, {})).toBeUndefined();
  });

  it.each<[KeyScopes, KeyScopes, KeyScopes]>([
    [{}, above, above],
    [{ ips: ['10.1.0.0/16', '11.0.0.0/8'] }, { ips: ['10.0.0.0/8'] }, { ips: ['10.1.0.0/16'] }],
    [{ ips: ['2001:db8::/48'] }, { ips: ['2001:db8::/32', '10.0.0.0/8'] }, { ips: ['2001:db8::/48'] }],
    [{ ips: ['::ffff:10.0.0.0/90'] }, { ips: ['10.0.0.0/8'] }, { ips: ['10.0.0.0/8'] }],
    [{ ips: ['10.0.0.0/8'] }, { ips: ['::/0'] }, { ips: ['10.0.0.0/8'] }],
    [{ ips: ['::/0'] }, { ips: ['0.0.0.0/0'] }, { ips: ['0.0.0.0/0'] }],
    [{ ips: ['10.0.0.0/8'] }, { ips: ['2001:db8::/32'] }, { ips: [] }],
  ])('%j and %j have in common %j', (one, other, both) => {
    expect(commonScopes(one, other)).toEqual(both);
    expect(commonScopes(other, one)).toEqual(both);
  });
});

describe('a range of addresses', () => {
  it.each([
    ['10.0.0.0/8', '10.255.1.2', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3', '10.1.2.4', false],
    ['0.0.0.0/0', '8.8.8.8', true],
    ['10.0.0.0/8', '::ffff:10.1.1.1', true],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['10.0.0.0/8', 'not an address', false],
  ])('%s holds %s: %s', (range, ip, is) => {
    expect(AddressRange.of(range)?.contains(ip)).toBe(is);
  });

  it.each(['', '10.0.0.0/33', '10.0.0', '2001:db8::/129', 'example.com', '10.0.0.0/', '10.0.0.0/8/8', '/8'])(
    'is not %j',
    (text) => {
      expect(AddressRange.of(text)).toBeUndefined();
    },
  );
});
