import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/**
 * The faults of connections, one after the other. `refuse` and `reset` happen before a call arrives. `cut` loses the
 * end of the answer, and `mute` all of it: then the call arrived and was executed.
 */
const FATES = ['refuse', 'reset', 'mute', 'cut'] as const;

/** The most messages of a client on one connection before its fault. */
const MESSAGES_MAX = 5;

/** A network between a client and the service that breaks at random moments, in every way that a connection can. */
export class TornNetwork {
  private readonly sockets = new Set<Socket>();
  private connections = 0;
  private messages = 0;
  /** The number of faults by kind. */
  readonly struck: Record<(typeof FATES)[number], number> = { refuse: 0, reset: 0, mute: 0, cut: 0 };

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {
    server.on('connection', (near) => this.carry(near));
  }

  static async to(target: string): Promise<TornNetwork> {
    const server = createServer();
    const network = new TornNetwork(server, Number(new URL(target).port));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return network;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The share of harmed requests. */
  get harm(): number {
    return (
      Object.values(this.struck).reduce((sum, times) => sum + times, 0) / (this.messages + this.struck.refuse)
    );
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private carry(near: Socket): void {
    const fate = FATES[this.connections % FATES.length]!;
    this.connections += 1;
    this.keep(near);
    const strike = (): void => {
      this.struck[fate] += 1;
      near.resetAndDestroy();
    };
    if (fate === 'refuse') {
      strike();
      return;
    }
    const far = this.keep(connect(this.port, '127.0.0.1'));
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('close', end);
    let left = Math.floor(Math.random() * MESSAGES_MAX);
    near.on('data', (bytes: Buffer) => {
      this.messages += 1;
      if (left === 0 && fate === 'reset') strike();
      else far.write(bytes);
      left -= 1;
    });
    far.on('data', (bytes: Buffer) => {
      if (left >= 0 || fate === 'reset') near.write(bytes);
      else if (fate === 'mute') strike();
      else near.write(bytes.subarray(0, bytes.length / 2), strike);
    });
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    return socket;
  }
}
