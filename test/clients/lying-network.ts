import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

import { numbersFrom } from '../support/random';

const DELAY_MS = 1_500;
/** A fault strikes at any of the first bytes, which are the headers and a short body. */
export const BYTES = 1_200;
/** A body may follow in pieces of its own, so a fault may strike behind the first piece. */
const BEYOND = 1.4;

/** Answers of other servers: of a gateway, of a portal of a hotel, of a server that knows nothing. */
const LIES = [
  ['504 Gateway Timeout', 'text/html', '<html>504 Gateway Time-out</html>'],
  ['502 Bad Gateway', 'application/json', '{"message":"upstream"}'],
  ['503 Service Unavailable', 'text/plain', ''],
  ['200 OK', 'text/html', '<html>Welcome to the hotel. Please sign in.</html>'],
  ['200 OK', 'application/json', ''],
  ['200 OK', 'application/json', '{}'],
  ['302 Found', 'text/html', ''],
  ['511 Network Authentication Required', 'text/html', '<html>'],
] as const;

const KINDS = ['lose', 'cut', 'delay', 'lie', 'lie before'] as const;
type Kind = (typeof KINDS)[number];

interface Fault {
  readonly kind: Kind;
  readonly side: 'request' | 'answer';
  /** From 0 to 1, in proportion to the length of the first piece. */
  readonly place: number;
  readonly lie: number;
}

/** A fault that has happened. */
export interface Strike {
  readonly kind: Kind;
  readonly side: Fault['side'];
  readonly byte: number;
}

/** A network of one call. It loses, cuts, delays and lies, as its seed says, and then works. */
export class LyingNetwork {
  private readonly sockets = new Set<Socket>();
  private readonly next: () => number;
  private faults: number;
  readonly struck: Strike[] = [];

  private constructor(
    private readonly server: Server,
    private readonly port: number,
    seed: number,
  ) {
    this.next = numbersFrom(seed);
    this.faults = 1 + Math.floor(this.next() * 4);
    server.on('connection', (near) => this.carry(near));
  }

  static async to(target: string, seed: number): Promise<LyingNetwork> {
    const server = createServer();
    const network = new LyingNetwork(server, Number(new URL(target).port), seed);
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

  /** The fault of the next exchange, if it has one. */
  private fault(): Fault | undefined {
    const [strikes, kind, side, place, lie] = Array.from({ length: 5 }, this.next) as [
      number,
      number,
      number,
      number,
      number,
    ];
    if (this.faults === 0 || strikes > 0.6) return undefined;
    this.faults -= 1;
    return {
      kind: KINDS[Math.floor(kind * KINDS.length)]!,
      side: side < 0.4 ? 'request' : 'answer',
      place,
      lie: Math.floor(lie * LIES.length),
    };
  }

  private carry(near: Socket): void {
    const far = this.keep(connect(this.port, '127.0.0.1'));
    this.keep(near);
    for (const socket of [near, far]) socket.on('close', () => (near.destroy(), far.destroy()));
    let fault: Fault | undefined;
    let isAsking = false;
    let at = 0;
    let byte = 0;
    /** Passes bytes on until the fault strikes. */
    const pass = (bytes: Buffer, to: Socket, side: Fault['side']): void => {
      if (at === 0 && fault !== undefined)
        byte = Math.floor(fault.place * BEYOND * Math.min(bytes.length, BYTES));
      if (fault === undefined || fault.side !== side || at + bytes.length <= byte) {
        at += bytes.length;
        to.write(bytes);
        return;
      }
      const { kind } = fault;
      to.write(bytes.subarray(0, byte - at));
      const rest = bytes.subarray(Math.max(0, byte - at));
      fault = undefined;
      this.struck.push({ kind, side, byte });
      if (kind === 'cut') near.end();
      else if (kind === 'lose') near.resetAndDestroy();
      else {
        const from = side === 'request' ? near : far;
        from.pause();
        setTimeout(() => {
          if (to.writable) to.write(rest);
          from.resume();
        }, DELAY_MS);
      }
    };
    near.on('data', (bytes: Buffer) => {
      if (!isAsking) {
        isAsking = true;
        at = 0;
        fault = this.fault();
        if (fault?.kind === 'lie before') {
          this.lie(near, fault);
          return;
        }
      }
      pass(bytes, far, 'request');
    });
    far.on('data', (bytes: Buffer) => {
      if (isAsking) at = 0;
      isAsking = false;
      // The service has done its work, and another server answers.
      if (fault?.kind === 'lie') this.lie(near, fault);
      else pass(bytes, near, 'answer');
    });
  }

  private lie(near: Socket, { kind, lie }: Fault): void {
    const [status, type, body] = LIES[lie]!;
    this.struck.push({ kind, side: 'answer', byte: 0 });
    const place = status.startsWith('302') ? 'location: https://hotel.example/\r\n' : '';
    near.end(
      `HTTP/1.1 ${status}\r\ncontent-type: ${type}\r\n${place}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    );
  }

  private keep(socket: Socket): Socket {
    this.sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => this.sockets.delete(socket));
    return socket;
  }
}
