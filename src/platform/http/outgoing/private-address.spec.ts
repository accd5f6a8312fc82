import { isPrivateName, isPublicAddress } from './private-address';

describe('an address', () => {
  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '93.184.216.34',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.0.1',
    '172.32.0.1',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true));

  it.each(['2606:4700::1111', '2a00:1450:4001::200e', '2001:4860:4860::8888', '2003::1'])(
    '%s is public',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    ['this network', '0.0.0.0'],
    ['this network, too', '0.1.2.3'],
    ['private', '10.0.0.1'],
    ['private', '172.16.0.1'],
    ['private', '172.31.255.255'],
    ['private', '192.168.1.1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['a metadata service in carrier-grade NAT', '100.100.100.200'],
    ['loopback', '127.0.0.1'],
    ['loopback', '127.255.255.254'],
    ['link-local metadata', '169.254.169.254'],
    ['a metadata service with a public address', '168.63.129.16'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '192.0.2.1'],
    ['documentation', '198.51.100.1'],
    ['documentation', '203.0.113.1'],
    ['6to4 relays', '192.88.99.1'],
    ['benchmarks', '198.19.0.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['loopback', '::1'],
    ['mapped', '::ffff:127.0.0.1'],
    ['mapped, in hex', '::ffff:7f00:1'],
    ['mapped, even a public one', '::ffff:8.8.8.8'],
    ['compatible', '::127.0.0.1'],
    ['compatible, in hex', '::7f00:1'],
    ['translated', '::ffff:0:127.0.0.1'],
    ['NAT64', '64:ff9b::7f00:1'],
    ['local NAT64', '64:ff9b:1::7f00:1'],
    ['6to4', '2002:7f00:1::'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['ORCHID', '2001:20::1'],
    ['documentation', '2001:db8::1'],
    ['documentation', '3fff::1'],
    ['discard', '100::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['public with a zone', '2606:4700::1111%1'],
    ['site-local', 'fec0::1'],
    ['unique local', 'fd00:ec2::254'],
    ['multicast', 'ff02::1'],
    ['segment routing', '5f00::1'],
    ['no address', 'localhost'],
    ['no address', '127.1'],
    ['no address', ''],
  ])('is not public: %s %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe('a host name', () => {
  it.each([
    'localhost',
    'a.localhost',
    'redis',
    'metadata.google.internal',
    'printer.local',
    'router.home.arpa',
  ])('%s is private', (host) => expect(isPrivateName(host)).toBe(true));

  it.each(['example.com', 'internal.example.com', 'local.host', 'notlocalhost.io'])(
    '%s may be public',
    (host) => expect(isPrivateName(host)).toBe(false),
  );
});
