import type { ServerResponse } from 'node:http';

import { FakeProvider, type FakeReply, type FakeRequest, VENDOR_WORDS } from './fake-provider';

interface SaidCall {
  readonly name: string;
  /** The group of the tool, for a vendor that has groups. */
  readonly namespace?: string;
  readonly input: object;
  /** The end of its id; by default its place in the answer. */
  readonly id?: string;
}

/** The answer of a fake's model, independent of any vendor. */
export interface Said {
  /** The pieces of text of a stream. */
  readonly texts?: readonly string[];
  /** Its thoughts, for a fake whose vendor shows them. */
  readonly thinks?: string;
  /** The maker's proof of the thoughts, or of the first call. */
  readonly signature?: string;
  readonly calls?: readonly SaidCall[];
  readonly finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  /** `undefined` sends no counts. A value that is not a number is sent unchanged. */
  readonly counts?: { readonly read: unknown; readonly written: unknown; readonly cached?: unknown };
  /** The fault of a stream after this many of its events. */
  readonly after?: { readonly events: number; readonly comes: 'trouble' | 'reset' | 'silence' | 'more' };
}

/** A call in a form independent of vendors, so that calls to all vendors can be compared. */
export interface Received {
  readonly model: string;
  readonly maxTokens: unknown;
  readonly system: string;
  /** `user: hi`, `assistant calls weather {"city":"Oslo"}`, `tool weather: 4 degrees`, `user shows image/png`. */
  readonly lines: readonly string[];
  readonly tools: readonly string[];
  readonly schema?: unknown;
  readonly stop: readonly string[];
}

export const USUAL: Said = {
  texts: ['Hello', ' there.'],
  finish: 'stop',
  counts: { read: 9, written: 3 },
};

/** A vendor of texts on loopback. It gives the answers of a test in the vendor's own form. */
export abstract class FakeTextServer extends FakeProvider {
  /** The key that it accepts now. */
  readonly key: string = 'fake-key-of-a-text-vendor-0123456789';
  streamEndsAfter: number | undefined;
  hungUp = 0;
  /** The accepted bodies, as they were received. */
  readonly bodies: Record<string, unknown>[] = [];
  private readonly scripts: Said[] = [];
  /** Its answer to a call that no script answers. */
  says: (body: Record<string, unknown>) => Said = () => USUAL;

  /** Its answers to the next calls. */
  sayNext(...said: readonly Said[]): void {
    this.scripts.push(...said);
  }

  /** The last accepted call. */
  abstract get received(): Received;

  override forgiveAll(): void {
    super.forgiveAll();
    this.scripts.length = 0;
    this.says = () => USUAL;
  }

  protected operationOf({ path }: FakeRequest): string {
    return /(count_tokens|input_tokens|:countTokens)$/.test(path) ? 'count' : 'chat';
  }

  protected abstract isKnown(request: FakeRequest): boolean;
  /** The refusal of a body that the real vendor would refuse; undefined if the vendor would accept it. */
  protected abstract faultIn(body: Record<string, unknown>): string | undefined;
  protected abstract isStreamed(request: FakeRequest, body: Record<string, unknown>): boolean;
  protected abstract whole(said: Said): unknown;
  /** The data of the events of a stream. */
  protected abstract events(said: Said): readonly unknown[];
  /** The event in the middle of a stream that reports an overload. */
  protected abstract readonly trouble: unknown;
  protected modelOf(_request: FakeRequest, body: Record<string, unknown>): unknown {
    return body['model'];
  }

  protected readonly streamType: string = 'text/event-stream';
  /** An event in the form in which it is sent. */
  protected encode(data: unknown): string | Uint8Array {
    return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  }

  protected answer(request: FakeRequest): FakeReply | Promise<FakeReply> {
    if (!this.isKnown(request)) return { status: 401, json: this.errorBody(401) };
    const body = JSON.parse(request.body.toString()) as Record<string, unknown>;
    if (this.operationOf(request) === 'count') return { json: { input_tokens: 77, totalTokens: 77 } };
    const fault = this.faultIn(body);
    if (fault !== undefined) {
      this.refused.push(fault);
      return { status: 400, json: this.errorBody(400) };
    }
    this.bodies.push({ ...body, model: this.modelOf(request, body) });
    const said = this.scripts.shift() ?? this.says(body);
    return this.isStreamed(request, body)
      ? { stream: (response) => this.streamTo(response, said) }
      : { json: this.whole(said) };
  }

  /** The reasons of its refusals, so that a failing test can show them. */
  readonly refused: string[] = [];

  private streamTo(response: ServerResponse, said: Said): void {
    response.writeHead(200, { 'content-type': this.streamType });
    response.on('close', () => {
      if (!response.writableFinished) this.hungUp += 1;
    });
    const events = this.events(said);
    const until = said.after?.events ?? this.streamEndsAfter ?? events.length;
    const say = (data: unknown): boolean => response.write(this.encode(data));
    for (const event of events.slice(0, until)) say(event);
    switch (said.after?.comes) {
      case 'trouble':
        say(this.trouble);
        break;
      case 'reset':
        // A pause, so that earlier bytes arrive first.
        setTimeout(() => response.socket?.resetAndDestroy(), 30);
        return;
      case 'silence':
        return;
      case 'more': {
        const more = (): void => {
          while (!response.destroyed && say(events[until - 1]));
        };
        response.on('drain', more);
        more();
        return;
      }
      case undefined:
        break;
    }
    if (until !== Infinity) response.end();
  }
}

export { VENDOR_WORDS };
