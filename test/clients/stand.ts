import type { ServerResponse } from 'node:http';

import { LoopbackServer, type Received } from '../support/loopback-server';

export type Reply = (response: ServerResponse, received: Received) => void;

export const page =
  (status: number, type = 'text/html', text = '<html>', headers: object = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': type, ...headers }).end(text);
export const json = (body: object, headers: object = {}, status = 200): Reply =>
  page(status, 'application/json', JSON.stringify(body), headers);
export const silence: Reply = (_, { incoming }) => incoming.socket.destroy();

/** A service, or a stranger, that answers as a test demands; the last reply repeats. */
export class Stand extends LoopbackServer {
  readonly received: Received[] = [];
  replies: readonly Reply[] = [];

  protected override serve(received: Received, response: ServerResponse): void {
    this.received.push(received);
    this.replies[Math.min(this.received.length, this.replies.length) - 1]!(response, received);
  }

  get marks(): ReadonlySet<unknown> {
    const paid = this.received.filter(({ method }) => method === 'POST');
    return new Set(paid.map(({ headers }) => headers['idempotency-key']));
  }
}
