import { callerAt } from './caller-address';

describe('the address by which callers are counted', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['0:0:0:0:0:ffff:203.0.113.7', '203.0.113.7'],
    ['64:ff9b::203.0.113.7', '203.0.113.7'],
    ['0064:ff9b:0::cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::9', '2001:db8:1:2::/64'],
    ['2001:db8::', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['nonsense', 'unknown'],
    ['a'.repeat(5_000), 'unknown'],
    ['', 'unknown'],
  ])('of %s is %s', (ip, caller) => {
    expect(callerAt(ip)).toBe(caller);
  });
});
