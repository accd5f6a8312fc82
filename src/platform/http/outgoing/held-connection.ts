import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

import { Client, type Dispatcher, buildConnector } from 'undici';

import { withErrorListener } from '#kernel/with-error-listener';

const READ_BYTES_MAX = 64 * 1024;

interface Write {
  readonly chunk: Buffer | string;
  readonly encoding: BufferEncoding;
}

type Done = (error?: Error | null) => void;

/**
 * A connection whose reading can wait. undici's parser throws if the server closes a connection that the parser has
 * paused, so undici never pauses. Instead, the connection gives undici no data while it is held, and the server waits.
 */
class HeldConnection extends Duplex {
  private isHeld = false;
  private hasEnded = false;

  constructor(private readonly socket: Socket) {
    super({ allowHalfOpen: false, decodeStrings: false, readableHighWaterMark: READ_BYTES_MAX });
    socket.on('data', (chunk) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.on('end', () => {
      this.hasEnded = true;
      this.push(null);
    });
    socket.on('error', (error) => this.destroy(error));
    // After an end, undici may still read the last bytes.
    socket.on('close', () => this.hasEnded || this.destroy());
  }

  hold(): void {
    this.isHeld = true;
    this.socket.pause();
  }

  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.socket.resume();
  }

  /** An idle connection must not keep the process alive. undici calls this and `ref`. */
  unref(): void {
    this.socket.unref();
  }

  ref(): void {
    this.socket.ref();
  }

  override _read(): void {
    if (!this.isHeld) this.socket.resume();
  }

  override _write(chunk: Write['chunk'], encoding: BufferEncoding, done: Done): void {
    this.socket.write(chunk, encoding, done);
  }

  override _writev(writes: readonly Write[], done: Done): void {
    const { socket } = this;
    socket.cork();
    for (const [at, { chunk, encoding }] of writes.entries())
      socket.write(chunk, encoding, at === writes.length - 1 ? done : undefined);
    socket.uncork();
  }

  override _final(done: Done): void {
    this.socket.end(done);
  }

  override _destroy(error: Error | null, done: Done): void {
    this.socket.destroy();
    done(error);
  }
}

/** A reader that can make its server wait. */
export interface HoldingReader {
  connection?: Pick<StreamClient, 'hold' | 'release'>;
}

/** The options of a call whose reader may hold its connection. */
export interface HeldCall extends Dispatcher.DispatchOptions {
  readonly reader: HoldingReader;
}

/** An undici client on one connection at a time, which the reader of its present call can hold. */
export class StreamClient extends Client {
  private present: HeldConnection | undefined;

  constructor(origin: URL, { connectMsMax, ...options }: Client.Options & { readonly connectMsMax: number }) {
    const connect = buildConnector({ timeout: connectMsMax });
    super(origin, {
      ...options,
      connect: (where, done) =>
        connect(where, (error, socket) => {
          if (error !== null) {
            done(error, null);
            return;
          }
          this.present = withErrorListener(new HeldConnection(socket!));
          // undici uses only what a socket has in common with every stream, and `ref` and `unref`.
          done(null, this.present as unknown as Socket);
        }),
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    (options as HeldCall).reader.connection = this;
    return super.dispatch(options, handler);
  }

  hold(): void {
    this.present?.hold();
  }

  release(): void {
    this.present?.release();
  }
}
