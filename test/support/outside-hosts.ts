import { once } from 'node:events';
import { type Server, createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import { Dialer, HostResolver } from '#platform/http/outgoing/safe-fetch-network';
import { SsrfGuard } from '#platform/http/outgoing/ssrf-guard';

export const PUBLIC_ADDRESS = '93.184.216.34';

/** The hosts of the internet, for the guard of a service. Each connection to one of them leads to the test's own server. */
export class OutsideHosts {
  /** The addresses by the names of the hosts. */
  readonly addresses = new Map<string, string>();
  /** The answers by their paths. */
  readonly answers = new Map<
    string,
    { readonly status?: number; readonly body: string; readonly location?: string }
  >();
  dialled = 0;
  /** The port of another server to which connections lead. */
  leadsTo: number | undefined;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OutsideHosts> {
    const server = createServer((request, response) => {
      const {
        status = 200,
        body,
        location,
      } = hosts.answers.get(request.url ?? '') ?? {
        status: 404,
        body: '',
      };
      response.writeHead(status, {
        'content-type': 'application/json',
        ...(location !== undefined && { location }),
      });
      response.end(body);
    }).listen(0, '127.0.0.1');
    const hosts = new OutsideHosts(server);
    await once(server, 'listening');
    return hosts;
  }

  guard(): SsrfGuard {
    return new SsrfGuard({ fetchAllowHosts: [] }, new Names(this), new ToTest(this));
  }

  connect(): ReturnType<typeof connect> {
    this.dialled += 1;
    return connect(this.leadsTo ?? (this.server.address() as AddressInfo).port, '127.0.0.1');
  }

  stop(): void {
    this.server.close();
  }
}

class Names extends HostResolver {
  constructor(private readonly hosts: OutsideHosts) {
    super();
  }

  addressesOf(host: string): Promise<readonly string[]> {
    return Promise.resolve([this.hosts.addresses.get(host) ?? []].flat());
  }
}

class ToTest extends Dialer {
  constructor(private readonly hosts: OutsideHosts) {
    super();
  }

  dialOf() {
    return { createConnection: () => this.hosts.connect() };
  }
}
