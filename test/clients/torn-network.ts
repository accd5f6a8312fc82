import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/** What can happen to a connection. `cut` loses the end of an answer, `mute` all of it: the call was heard and done. */
const FATES = ['refuse', 'reset', 'mute', 'cut'] as const;

/** A network between a client and the service that breaks at random, in every way that a connection can. */
export class TornNetwork {
  private readonly sockets = new Set<Socket>();
  /** How often each fate has struck. */
  readonly struck: Record<(typeof FATES)[number], number> = { refuse: 0, reset: 0, mute: 0, cut: 0 };

  private constructor(
    private readonly server: Server,
    private readonly port: number,
    /** How many of a hundred connections break. */
    private readonly percent: number,
  ) {
    server.on('connection', (near) => this.carry(near));
  }

  static async to(target: string, percent: number): Promise<TornNetwork> {
    const server = createServer();
    const network = new TornNetwork(server, Number(new URL(target).port), percent);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private carry(near: Socket): void {
    const fate =
      Math.random() * 100 < this.percent ? FATES[Math.floor(Math.random() * FATES.length)] : undefined;
    if (fate !== undefined) this.struck[fate] += 1;
    this.keep(near);
    if (fate === 'refuse') {
      near.resetAndDestroy();
      return;
    }
    const far = this.keep(connect(this.port, '127.0.0.1'));
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('close', end);
    if (fate === 'reset') near.once('data', () => near.resetAndDestroy());
    else near.pipe(far);
    // One answer for each connection that breaks, or the next call on it would break before it was heard.
    if (fate === 'mute') far.once('data', () => near.resetAndDestroy());
    else if (fate === 'cut') {
      far.once('data', (bytes: Buffer) => {
        near.write(bytes.subarray(0, bytes.length / 2), () => near.resetAndDestroy());
      });
    } else far.pipe(near);
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    return socket;
  }
}
