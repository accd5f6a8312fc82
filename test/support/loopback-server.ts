import { once } from 'node:events';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A call as it was received, completely read. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** Its connection, for tests that break the connection. */
  readonly incoming: IncomingMessage;
}

/**
 * The base of all fakes of the outside world on this machine. A fake defines its answers; this class listens and
 * closes.
 */
export abstract class LoopbackServer {
  protected readonly server: Server = createServer((incoming, response) => {
    // Callers in tests may disconnect, so errors are ignored.
    for (const end of [incoming, response]) end.on('error', () => undefined);
    this.take(incoming, response).catch(() => response.destroy());
  }).on('clientError', (_error, socket) => socket.destroy());

  protected abstract serve(received: Received, response: ServerResponse): Promise<void> | void;

  /** All of 127.0.0.0/8 is this machine, so a test can have as many hosts as it needs. */
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
