import type { Socket } from 'node:net';

import { Pool, buildConnector } from 'undici';

const KEEP_ALIVE_MS = 10_000;

export interface OriginOptions {
  readonly connections: number;
  readonly connectMsMax: number;
}

/** The connections to one origin, each with its valve. */
export const poolTo = (origin: URL, { connections, connectMsMax }: OriginOptions): Pool => {
  const connect = buildConnector({ timeout: connectMsMax });
  return new Pool(origin.origin, {
    connections,
    connect: (options, done) =>
      connect(options, (...connected) => {
        const [, socket] = connected;
        if (socket !== null) Valve.into(socket);
        done(...connected);
      }),
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
  });
};

let reading: Valve | undefined;

/**
 * Lets what comes on a connection wait in its socket, and so at the other side. undici has a pause of its own, and asserts
 * that nobody has used it when the other side closes: a vendor that hangs up on a slow reader would end the process. Behind
 * a shut valve undici finds nothing to read, and that is all it knows (docs/adr/0018).
 */
export class Valve {
  private isShut = false;

  private constructor(private readonly socket: Socket) {}

  static into(socket: Socket): void {
    const valve = new Valve(socket);
    const read = socket.read.bind(socket);
    socket.read = (size) => {
      reading = valve;
      return valve.isShut ? null : (read(size) as unknown);
    };
  }

  /** Of the connection whose bytes are being parsed. */
  static get current(): Valve | undefined {
    return reading;
  }

  shut(): void {
    this.isShut = true;
  }

  open(): void {
    if (!this.isShut) return;
    this.isShut = false;
    // A moment later, because the parser may be at work.
    queueMicrotask(() => this.socket.emit('readable'));
  }
}
