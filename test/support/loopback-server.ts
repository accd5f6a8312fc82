import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A call as it arrived, read to its end. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Its connection, for tests that break it. */
  readonly incoming: IncomingMessage;
}

/** Somebody of the outside world, on this machine: what it answers is its own, how it listens and leaves is here. */
export abstract class LoopbackServer {
  protected readonly server: Server = createServer((incoming, response) => {
    // Callers of the tests break off, too.
    for (const end of [incoming, response]) end.on('error', () => undefined);
    this.take(incoming, response).catch(() => response.destroy());
  }).on('clientError', (_error, socket) => socket.destroy());

  protected abstract serve(received: Received, response: ServerResponse): Promise<void> | void;

  /** All of 127.0.0.0/8 is this machine: as many hosts as a test wants. */
  async start(host = '127.0.0.1'): Promise<this> {
    this.server.listen(0, host);
    await once(this.server, 'listening');
    return this;
  }

  get origin(): string {
    const { address, port } = this.server.address() as AddressInfo;
    return `http://${address}:${port}`;
  }

  get host(): string {
    return new URL(this.origin).host;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async take(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const url = new URL(incoming.url ?? '/', 'http://loopback');
    const { method = '', headers } = incoming;
    await this.serve(
      { method, path: url.pathname, query: url.searchParams, headers, body, incoming },
      response,
    );
  }
}
