import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type Server, type Socket, connect, createServer } from 'node:net';

import { IS_NIGHTLY } from '../support/nightly';

/** The ways in which an outside server can be unavailable while its name and address stay valid. */
export const WAYS = [
  'a closed port',
  'accepting and closing',
  'accepting and hanging',
  'resetting in the middle',
  'flapping each second',
] as const;

/** `npm run test:processes` plays the ways that differ most; `npm run test:nightly` plays all. */
export const WAYS_PLAYED: readonly Way[] = IS_NIGHTLY
  ? WAYS
  : ['a closed port', 'accepting and hanging', 'resetting in the middle'];

export type Way = (typeof WAYS)[number];
type Manner = Way | 'open';

const FLAP_MS = 500;
const HALF_AN_ANSWER = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n{"';
const TRIES_MAX = 20;

/** A proxy in front of a dependency. It can make the dependency unavailable in every way, and available again. */
export class Gate {
  readonly port: number;
  private server?: Server;
  private manner: Manner = 'open';
  private readonly sockets = new Set<Socket>();
  private flapping?: NodeJS.Timeout;

  private constructor(
    port: number,
    private readonly target: URL | undefined,
  ) {
    this.port = port;
  }

  /** Without a target, the server behind the proxy answers 503 to everything. The proxy starts closed. */
  static async to(target?: string): Promise<Gate> {
    for (let tries = 1; ; tries += 1) {
      // The port is below those of outgoing connections and started services, so it is still free later.
      const gate = new Gate(randomInt(10_000, 20_000), target === undefined ? undefined : new URL(target));
      try {
        await gate.listen();
        await gate.be('a closed port');
        return gate;
      } catch (error) {
        if (tries === TRIES_MAX) throw error;
      }
    }
  }

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  async be(manner: Manner): Promise<void> {
    if (this.manner === manner && this.flapping === undefined) return;
    clearInterval(this.flapping);
    this.flapping = undefined;
    this.manner = manner;
    for (const socket of this.sockets) socket.destroy();
    if (manner === 'a closed port') return this.close();
    await this.listen();
    if (manner !== 'flapping each second') return;
    this.manner = 'open';
    this.flapping = setInterval(() => {
      this.manner = this.manner === 'open' ? 'accepting and closing' : 'open';
      if (this.manner !== 'open') for (const socket of this.sockets) socket.destroy();
    }, FLAP_MS);
  }

  async stop(): Promise<void> {
    await this.be('a closed port');
  }

  private async listen(): Promise<void> {
    if (this.server !== undefined) return;
    const server = createServer((near) => this.take(near));
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.server = server;
  }

  private async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    if (server === undefined) return;
    server.close();
    await once(server, 'close');
  }

  private take(near: Socket): void {
    this.own(near);
    if (this.manner === 'accepting and closing') {
      near.destroy();
      return;
    }
    if (this.manner === 'accepting and hanging') return;
    const isReset = this.manner === 'resetting in the middle';
    if (this.target === undefined) {
      near.on('data', () => {
        if (isReset) near.write(HALF_AN_ANSWER, () => near.resetAndDestroy());
        else near.end('HTTP/1.1 503 Unavailable\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}');
      });
      return;
    }
    const far = connect(Number(this.target.port), this.target.hostname);
    this.own(far);
    near.pipe(far);
    if (isReset)
      far.once('data', (bytes: Buffer) =>
        near.write(bytes.subarray(0, bytes.length / 2), () => near.resetAndDestroy()),
      );
    else far.pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  }

  private own(socket: Socket): void {
    this.sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => this.sockets.delete(socket));
  }
}
