import { BlockList, isIPv4, isIPv6 } from 'node:net';

const CIDR = /^(?<base>[0-9a-fA-F:.]{2,45})(\/(?<bits>\d{1,3}))?$/;
const ALL_BITS = 128;
const BITS_BEFORE_IPV4 = 96;
const WRAPPED = /^::ffff:(?<inner>\d+\.\d+\.\d+\.\d+)$/i;

/** An IPv4 address inside IPv6 counts as IPv4, because a server that listens on both sees such addresses. */
const unwrapped = (ip: string): string => WRAPPED.exec(ip)?.groups?.['inner'] ?? ip;

const familyOf = (ip: string): 'ipv4' | 'ipv6' | undefined =>
  isIPv4(ip) ? 'ipv4' : isIPv6(ip) ? 'ipv6' : undefined;

/** A network in CIDR, or a single address. */
export class AddressRange {
  private readonly list = new BlockList();

  private constructor(
    private readonly base: string,
    /** The fixed bits in IPv6, where each IPv4 address has 96 bits before its own. */
    private readonly bits: number,
    family: 'ipv4' | 'ipv6',
  ) {
    this.list.addSubnet(base, family === 'ipv4' ? bits - BITS_BEFORE_IPV4 : bits, family);
  }

  /** Undefined if the text is neither. */
  static of(this: void, text: string): AddressRange | undefined {
    const { base = '', bits } = CIDR.exec(text)?.groups ?? {};
    const family = familyOf(base);
    if (family === undefined) return undefined;
    const before = family === 'ipv4' ? BITS_BEFORE_IPV4 : 0;
    const count = before + Number(bits ?? ALL_BITS - before);
    return count > ALL_BITS ? undefined : new AddressRange(base, count, family);
  }

  contains(ip: string): boolean {
    const address = unwrapped(ip);
    const family = familyOf(address);
    return family !== undefined && this.list.check(address, family);
  }

  /** Whether another range lies completely within this one. */
  covers(other: AddressRange | undefined): boolean {
    return other !== undefined && other.bits >= this.bits && this.contains(other.base);
  }
}
