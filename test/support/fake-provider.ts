import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

import { LoopbackServer, type Received } from './loopback-server';
import { pictureOf, soldFilm } from './media-files';

/**
 * The planned faults: a status, no answer, an answer that is not JSON, or a connection that is cut before any work.
 * Also accepted work with a lost answer, a late answer with or without an error status, one in the vendor's form, and
 * one that differs from the fake's own.
 */
export type ProviderFaultName =
  | number
  | 'hang'
  | 'garbage'
  | 'reset'
  | 'drop reply'
  | { readonly lateMs: number; readonly status?: number; readonly json?: unknown }
  | { readonly says: FakeReply }
  | { readonly alters: (json: unknown) => unknown }
  | Gate;

/** A gate, where a call waits until the test releases it. */
export class Gate {
  private arrived!: () => void;
  private opened!: () => void;
  /** Resolves when the call waits at the gate. */
  readonly reached = new Promise<void>((resolve) => (this.arrived = resolve));
  private readonly way = new Promise<void>((resolve) => (this.opened = resolve));

  /** Whether the work is accepted before the wait or after it. */
  constructor(readonly taken: boolean) {}

  async pass(): Promise<void> {
    this.arrived();
    await this.way;
  }

  open(): void {
    this.opened();
  }
}

export type FakeRequest = Received;

export interface FakeReply {
  readonly status?: number;
  readonly json?: unknown;
  readonly bytes?: Buffer;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Writes the answer directly, piece by piece. */
  readonly stream?: (response: ServerResponse) => void;
}

/** Words that no caller may ever see. All sentences of a fake provider contain them. */
export const VENDOR_WORDS = 'the-vendors-own-words';

/** Most tests buy these: a picture of 1K, and four seconds of film in 720p. */
const media = async (): Promise<Readonly<Record<'png' | 'mp4', Buffer>>> => ({
  png: await pictureOf(1_024, 1_024),
  mp4: await soldFilm(),
});

/** The common part of all fake providers: a server, its planned faults, and its files. */
export abstract class FakeProvider extends LoopbackServer {
  readonly seen: FakeRequest[] = [];
  /** The number of connections that were ever opened. */
  connections = 0;
  files!: Readonly<Record<'png' | 'mp4', Buffer>>;
  /** The number of next films that are sent slowly. */
  drips = 0;
  private readonly dripped = new Set<ServerResponse>();
  private readonly faults = new Map<string, ProviderFaultName[]>();
  private readonly accepts = new Map<string, number>();

  override async start(): Promise<this> {
    this.files = await media();
    this.server.on('connection', () => (this.connections += 1));
    return super.start();
  }

  /** The next calls of one operation (`submit`, `status`, `result`, …) fail in this order. */
  failNext(operation: string, ...faults: ProviderFaultName[]): void {
    this.faults.set(operation, [...(this.faults.get(operation) ?? []), ...faults]);
  }

  /** The next call of an operation waits: after its work is accepted, or before. */
  holdNext(operation: string, { taken = true } = {}): Gate {
    const gate = new Gate(taken);
    this.failNext(operation, gate);
    return gate;
  }

  /** The number of films that are being sent slowly. */
  get dripping(): number {
    return this.dripped.size;
  }

  endDrips(): void {
    for (const response of this.dripped) response.destroy();
  }

  /** The number of requests for an operation that got to the vendor's work. */
  taken(operation: string): number {
    return this.accepts.get(operation) ?? 0;
  }

  forgiveAll(): void {
    this.faults.clear();
  }

  /** The name of the operation that a request asks for. */
  protected abstract operationOf(request: FakeRequest): string;

  /** Does the work. Only requests that get here were accepted. */
  protected abstract answer(request: FakeRequest): Promise<FakeReply> | FakeReply;

  protected abstract errorBody(status: number): unknown;

  private drip(response: ServerResponse, bytes: Buffer): void {
    let sent = 0;
    response.writeHead(200, { 'content-length': bytes.length });
    const timer = setInterval(() => response.write(bytes.subarray(sent, (sent += 1))), 100);
    this.dripped.add(response);
    response.once('close', () => {
      clearInterval(timer);
      this.dripped.delete(response);
    });
  }

  protected override async serve(request: FakeRequest, response: ServerResponse): Promise<void> {
    this.seen.push(request);
    const file = /^\/files\/\w+\.(png|mp4)$/.exec(request.path)?.[1] as 'png' | 'mp4' | undefined;
    if (file === 'mp4' && this.drips > 0) {
      this.drips -= 1;
      this.drip(response, this.files[file]);
      return;
    }
    if (file !== undefined) {
      send(response, { bytes: this.files[file], type: 'application/octet-stream' });
      return;
    }
    if (request.path === '/moved') {
      send(response, { status: 302, json: {}, headers: { location: request.query.get('to') ?? '/' } });
      return;
    }
    const operation = this.operationOf(request);
    const fault = this.faults.get(operation)?.shift();
    if (fault === 'hang') return;
    if (fault === 'reset') {
      response.socket?.resetAndDestroy();
      return;
    }
    if (typeof fault === 'number') {
      const headers: Record<string, string> = fault === 429 ? { 'retry-after': '1' } : {};
      send(response, { status: fault, json: this.errorBody(fault), headers });
      return;
    }
    if (typeof fault === 'object' && 'says' in fault) {
      send(response, fault.says);
      return;
    }
    if (fault instanceof Gate && !fault.taken) await fault.pass();
    this.accepts.set(operation, this.taken(operation) + 1);
    const reply = await this.answer(request);
    if (fault instanceof Gate && fault.taken) await fault.pass();
    if (fault === 'drop reply') response.socket?.resetAndDestroy();
    else if (fault === 'garbage') send(response, { bytes: Buffer.from('<html>'), type: 'text/html' });
    else if (typeof fault === 'object' && 'alters' in fault)
      send(response, { json: fault.alters(reply.json) });
    else {
      const late = typeof fault === 'object' && 'lateMs' in fault ? fault : undefined;
      if (late !== undefined) await pause(late.lateMs, undefined, { ref: false });
      const status = late?.status;
      if (status !== undefined) send(response, { status, json: late?.json ?? this.errorBody(status) });
      else if (reply.stream === undefined) send(response, reply);
      else reply.stream(response);
    }
  }
}

const send = (response: ServerResponse, { status = 200, json, bytes, type, headers }: FakeReply): void => {
  const body = bytes ?? Buffer.from(JSON.stringify(json));
  response.writeHead(status, {
    'content-type': type ?? 'application/json',
    'content-length': body.length,
    ...headers,
  });
  response.end(body);
};
