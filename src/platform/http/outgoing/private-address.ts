import { BlockList, isIP } from 'node:net';

/** Every IPv4 block outside of the public internet, and the one public address at which a cloud serves its metadata. */
const CLOSED_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Inside the global unicast block: special registries, documentation, and the tunnels that carry an IPv4 address. */
const CLOSED_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const closed = new BlockList();
CLOSED_V4.forEach(([address, bits]) => closed.addSubnet(address, bits, 'ipv4'));
CLOSED_V6.forEach(([address, bits]) => closed.addSubnet(address, bits, 'ipv6'));

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether an address is on the public internet. In IPv6, only global unicast addresses count as public. This excludes
 * loopback, link-local, unique local, multicast, mapped and compatible IPv4, NAT64, and every block that is assigned
 * later.
 */
export const isPublicAddress = (address: string): boolean => {
  if (address.includes('%')) {
    return false; // A zone id names an interface of this machine.
  }
  switch (isIP(address)) {
    case 4:
      return !closed.check(address, 'ipv4');
    case 6:
      return globalUnicast.check(address, 'ipv6') && !closed.check(address, 'ipv6');
    default:
      return false;
  }
};

const PRIVATE_NAME =
  /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|onion)$/;

/** Whether a name is valid only inside a private network. The service refuses such a name before it asks a resolver. */
export const isPrivateName = (host: string): boolean => !host.includes('.') || PRIVATE_NAME.test(host);
