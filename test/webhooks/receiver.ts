import type { ServerResponse } from 'node:http';

import { LoopbackServer, type Received } from '../support/loopback-server';

/** One message as it arrived. */
export interface WebhookMessage {
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type Manner = (response: ServerResponse) => void;

export const answering =
  (status: number, headers: Readonly<Record<string, string>> = {}): Manner =>
  (response) =>
    void response.writeHead(status, headers).end();

/** Breaks the connection without an answer. */
export const resetting: Manner = (response) => void response.destroy();

/** Receives the message and never answers. */
export const silent: Manner = () => undefined;

/** A receiver of webhooks, with the behaviour that a test chooses. */
export class Receiver extends LoopbackServer {
  readonly received: WebhookMessage[] = [];
  manner: Manner = answering(200);

  get url(): string {
    return `${this.origin}/hook`;
  }

  /** The messages that arrived, by type. */
  get types(): readonly string[] {
    return this.received.map(({ type }) => type);
  }

  protected serve({ headers, body }: Received, response: ServerResponse): void {
    const text = body.toString();
    this.received.push({
      id: String(headers['webhook-id']),
      type: (JSON.parse(text) as { type: string }).type,
      at: Date.now(),
      headers: headers as Record<string, string>,
      body: text,
    });
    this.manner(response);
  }
}
