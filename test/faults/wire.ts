import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

type Line = readonly [near: Socket, far: Socket];

/** The network between the service and its database. */
export class Wire {
  private readonly lines = new Set<Line>();
  /** Connections whose next answer is held back. */
  private readonly held = new Set<Line>();
  private stops: RegExp | undefined;

  private constructor(
    private readonly target: URL,
    private readonly server: Server,
  ) {
    server.on('connection', (near) => this.connect(near));
  }

  static async to(databaseUrl: string): Promise<Wire> {
    const server = createServer();
    const wire = new Wire(new URL(databaseUrl), server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return wire;
  }

  /** The address of the database behind this proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  /** Breaks all connections. The server executes the statements that it has received, but nobody gets its answers. */
  loseAnswers(): void {
    for (const [near, far] of this.lines) {
      far.unpipe(near).resume();
      far.end();
      near.destroy();
    }
  }

  /** Lets the server execute statements with these names, and holds their answers back. */
  holdAnswersTo(names: RegExp): void {
    this.stops = names;
  }

  passAnswers(): void {
    this.stops = undefined;
    for (const [near, far] of this.held) far.pipe(near);
    this.held.clear();
  }

  async stop(): Promise<void> {
    for (const sockets of this.lines) for (const socket of sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private connect(near: Socket): void {
    const far = connect(Number(this.target.port), this.target.hostname);
    const line = [near, far] as const;
    this.lines.add(line);
    near.on('data', (bytes: Buffer) => {
      if (this.stops?.test(bytes.toString('latin1')) !== true) return;
      far.unpipe(near);
      this.held.add(line);
    });
    near.pipe(far);
    far.pipe(near);
    near.on('error', () => far.end()).once('close', () => far.end());
    far
      .on('error', () => near.destroy())
      .once('close', () => {
        near.destroy();
        this.lines.delete(line);
        this.held.delete(line);
      });
  }
}
