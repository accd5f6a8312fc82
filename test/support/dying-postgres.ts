import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** `ReadyForQuery`, idle: the last message of a start and of each statement. */
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

const errorResponse = (fields: Readonly<Record<string, string>>): Buffer => {
  const body = Buffer.from(
    `${Object.entries(fields)
      .map(([key, value]) => `${key}${value}\0`)
      .join('')}\0`,
  );
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const FATAL = errorResponse({
  S: 'FATAL',
  V: 'FATAL',
  C: '57P01',
  M: 'terminating connection due to administrator command',
});

/** A server that dies: while `dying`, it ends each new connection in the packet that reports it as ready. */
export class DyingPostgres {
  dying = false;
  deaths = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(realUrl: string): Promise<DyingPostgres> {
    const real = new URL(realUrl);
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(realUrl);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    const dying = new DyingPostgres(server, url.toString());
    server.on('connection', (client) =>
      dying.serve(client, connect(Number(real.port || 5432), real.hostname)),
    );
    return dying;
  }

  /** Ends all open connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  private serve(client: Socket, upstream: Socket): void {
    for (const socket of [client, upstream]) {
      this.sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (data) => upstream.write(data));
    upstream.on('data', (data: Buffer) => {
      if (!this.dying || !data.subarray(-READY.length).equals(READY)) {
        client.write(data);
        return;
      }
      this.deaths += 1;
      client.end(Buffer.concat([data, FATAL]));
    });
  }
}
