import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

import { BuiltService, removeFolders } from '../support/built-service';
import { cloneDatabase } from '../support/postgres';

/** A proxy before a database. It breaks once, during a statement, and works again after a while, or never. */
class BreakingNetwork {
  hasBroken = false;
  private isAway = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly target: URL,
    private readonly server: Server,
    private readonly breaksAt: string,
    private readonly awayMs: number,
  ) {
    server.on('connection', (near) => this.take(near));
  }

  static async to(url: string, breaksAt: string, awayMs: number): Promise<BreakingNetwork> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new BreakingNetwork(new URL(url), server, breaksAt, awayMs);
  }

  get url(): string {
    const url = new URL(this.target);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  async stop(): Promise<void> {
    this.loseAll();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(near: Socket): void {
    this.own(near);
    if (this.isAway) return void near.resetAndDestroy();
    const far = connect(Number(this.target.port), this.target.hostname);
    this.own(far);
    far.pipe(near);
    near.on('data', (bytes) => {
      if (!this.hasBroken && bytes.includes(this.breaksAt)) this.break();
      else far.write(bytes);
    });
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  }

  private break(): void {
    this.hasBroken = true;
    this.isAway = true;
    this.loseAll();
    if (this.awayMs < Infinity) setTimeout(() => (this.isAway = false), this.awayMs);
  }

  private loseAll(): void {
    for (const socket of this.sockets) socket.resetAndDestroy();
  }

  private own(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
  }
}

const SECRET = { SIGNING_SECRET: 'a-secret-for-tests-only-0123456789abcdef' };

describe('a process that loses its database while it starts', () => {
  let network: BreakingNetwork;

  const launch = async (breaksAt: string, awayMs: number): Promise<BuiltService> => {
    network = await BreakingNetwork.to(await cloneDatabase(), breaksAt, awayMs);
    return BuiltService.launch({ DATABASE_URL: network.url, ...SECRET });
  };

  afterEach(() => network.stop());
  afterAll(() => removeFolders());

  it.each([
    ['in the first look', 'select 1'],
    ['at the lock of migrations', 'pg_advisory_lock'],
    ['in migrations', '"migration"'],
    ['in those of queues', 'bullmq'],
  ])('goes on when the database is back that it lost %s', async (_, statement) => {
    const service = await launch(statement, 500);
    await service.untilReady();

    expect(network.hasBroken).toBe(true);
    expect(await service.end()).toBe(0);
  });

  it('names the setting when the database stays away', async () => {
    const service = await launch('"migration"', Infinity);

    expect(await service.ended()).toBe(1);
    const { host, pathname, password } = new URL(network.url);
    expect(service.stderr).toMatch(
      /^Lamppost could not start\.\nThe database at \S+ was lost during the start \([^)]+\); .* DATABASE_URL\.\n$/,
    );
    expect(service.stderr).toContain(`The database at ${host}${pathname} `);
    expect(service.stderr + service.stdout).not.toContain(password);
  });
});
