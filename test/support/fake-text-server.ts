import type { ServerResponse } from 'node:http';

import { FakeProvider, type FakeReply, type FakeRequest, VENDOR_WORDS } from './fake-provider';

/** The answer of a fake's model, in the words of no vendor. */
export interface Said {
  /** Pieces of text, as they come in a stream. */
  readonly texts?: readonly string[];
  /** Its thoughts, of a fake whose maker shows them. */
  readonly thinks?: string;
  readonly calls?: readonly { readonly name: string; readonly input: object }[];
  readonly finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  /** `undefined` counts nothing. A value that is no number is sent as it is. */
  readonly counts?: { readonly read: unknown; readonly written: unknown; readonly cached?: unknown };
  /** The fault of a stream after so many of its events. */
  readonly after?: { readonly events: number; readonly comes: 'trouble' | 'reset' | 'silence' | 'more' };
}

/** A call in the words of no vendor, so that the calls of all can be compared. */
export interface Heard {
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

/** A vendor of texts on loopback that says what a test wants, in the vendor's own words. */
export abstract class FakeTextServer extends FakeProvider {
  /** The one that it takes now. */
  readonly key: string = 'fake-key-of-a-text-vendor-0123456789';
  streamEndsAfter: number | undefined;
  hungUp = 0;
  /** The bodies that it took, as it got them. */
  readonly bodies: Record<string, unknown>[] = [];
  private readonly scripts: Said[] = [];

  /** Its answers to the next calls. */
  sayNext(...said: readonly Said[]): void {
    this.scripts.push(...said);
  }

  /** The last call that it took. */
  abstract get heard(): Heard;

  override forgiveAll(): void {
    super.forgiveAll();
    this.scripts.length = 0;
  }

  protected operationOf(_request: FakeRequest): string {
    return 'chat';
  }

  protected abstract isKnown(request: FakeRequest): boolean;
  /** Its refusal of a body that the real one would refuse; undefined where it would take it. */
  protected abstract faultIn(body: Record<string, unknown>): string | undefined;
  protected abstract isStreamed(request: FakeRequest, body: Record<string, unknown>): boolean;
  protected abstract whole(said: Said): unknown;
  /** The data of the events of a stream. */
  protected abstract events(said: Said): readonly unknown[];
  /** The event by which it says in the middle of a stream that it is overloaded. */
  protected abstract readonly trouble: unknown;
  protected modelOf(_request: FakeRequest, body: Record<string, unknown>): unknown {
    return body['model'];
  }

  protected readonly streamType: string = 'text/event-stream';
  /** An event as it is sent. */
  protected encode(data: unknown): string | Uint8Array {
    return `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  }

  protected answer(request: FakeRequest): FakeReply | Promise<FakeReply> {
    if (!this.isKnown(request)) return { status: 401, json: this.errorBody(401) };
    const body = JSON.parse(request.body.toString()) as Record<string, unknown>;
    const fault = this.faultIn(body);
    if (fault !== undefined) {
      this.refused.push(fault);
      return { status: 400, json: this.errorBody(400) };
    }
    this.bodies.push({ ...body, model: this.modelOf(request, body) });
    const said = this.scripts.shift() ?? USUAL;
    return this.isStreamed(request, body)
      ? { stream: (response) => this.streamTo(response, said) }
      : { json: this.whole(said) };
  }

  /** Why it refused calls: a test that fails wants to know. */
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
        // Earlier bytes must arrive first.
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
