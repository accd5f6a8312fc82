import { once } from 'node:events';
import { type ServerResponse, request } from 'node:http';

import { LoopbackServer, type Received } from '../support/loopback-server';

/** A call of an agent, and the status of its answer. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly status: number;
}

const asFields = (body: Buffer): Recorded['body'] => {
  try {
    return JSON.parse(body.toString()) as Recorded['body'];
  } catch {
    return {};
  }
};

/** A proxy between the agents and the service. It keeps what they send. */
export class Recorder extends LoopbackServer {
  readonly calls: Recorded[] = [];
  service = '';

  /** The calls without success, in a few words. */
  get failed(): readonly string[] {
    return this.calls
      .filter(({ status }) => status >= 400)
      .map(({ method, path, status }) => `${method} ${path}: ${status}`);
  }

  protected async serve(
    { method, path, headers, body, incoming }: Received,
    response: ServerResponse,
  ): Promise<void> {
    const call = request(`${this.service}${incoming.url}`, { method, headers });
    response.on('close', () => call.destroy());
    call.end(body);
    const [answer] = await once(call, 'response');
    this.calls.push({
      method,
      path,
      body: asFields(body),
      status: answer.statusCode,
    });
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  }
}
