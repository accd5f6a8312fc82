import { lookup, promises as dns } from 'node:dns';
import type { RequestOptions } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { promisify } from 'node:util';

const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

const lookupAll = promisify(lookup);

/** Finds the addresses of a host. It is a port, so that tests can change the answers. */
export abstract class HostResolver {
  /** Empty if the host has no address. */
  abstract addressesOf(host: string, options: { readonly isAllowed: boolean }): Promise<readonly string[]>;
}

/**
 * Asks DNS directly for the names that callers send. The system's look-up would read the hosts file and append search
 * domains. It would also occupy one of the four threads that the file system needs. Only for the operator's own hosts
 * does the system look up the name, because they may be in the hosts file.
 */
export class SystemResolver extends HostResolver {
  async addressesOf(
    host: string,
    { isAllowed }: { readonly isAllowed: boolean },
  ): Promise<readonly string[]> {
    if (isAllowed) {
      const found = await lookupAll(host, { all: true }).catch(() => []);
      return found.map(({ address }) => address);
    }
    const resolver = new dns.Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  }
}

/** Connects to checked addresses only. */
export abstract class Dialer {
  abstract dialOf(addresses: readonly string[]): Pick<RequestOptions, 'lookup' | 'createConnection'>;
}

/**
 * The TLS handshake and the Host header contain the name. The connection uses the checked address, even if DNS now has
 * another answer.
 */
export class PinnedDialer extends Dialer {
  dialOf(addresses: readonly string[]): { readonly lookup: LookupFunction } {
    const pinned = addresses.map((address) => ({ address, family: isIP(address) }));
    const answer: LookupFunction = (_host, { all }, done) => {
      const [first] = pinned;
      if (first === undefined) {
        done(new Error('There is no checked address.'), '', 0);
      } else if (all === true) {
        done(null, pinned);
      } else {
        done(null, first.address, first.family);
      }
    };
    return { lookup: answer };
  }
}
