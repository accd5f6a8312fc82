import type { IncomingMessage, ServerResponse } from 'node:http';

import { catalogOf, textEntry } from '../support/catalogs';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { World } from '../support/world';

export interface AskedText {
  readonly text: string;
  readonly body: Record<string, unknown>;
}

type Script = (response: ServerResponse, asked: AskedText, request: IncomingMessage) => void;

export const event = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

export const piece = (delta: object, finish: string | null = null): string =>
  event({ choices: [{ index: 0, delta, finish_reason: finish }] });

export const usage = (prompt: number, completion: number): string =>
  event({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion } });

/** The begin of a stream, as every vendor sends it. */
export const openStream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

const says: Script = (response, { body }) => {
  if (body['stream'] === true) {
    openStream(response).write(piece({ role: 'assistant', content: 'Hello.' }, 'stop') + usage(3, 2));
    response.end(event('[DONE]'));
  } else {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        choices: [{ message: { role: 'assistant', content: 'Hello.' } }],
        usage: { prompt_tokens: 3, completion_tokens: 2 },
      }),
    );
  }
};

/** A server that speaks chat completions however a test wants it, and knows what it was asked. */
export class TextVendor extends LoopbackServer {
  readonly asked: AskedText[] = [];
  readonly requests: IncomingMessage[] = [];
  private readonly scripts: Script[] = [];

  /** How the next call is answered; later ones are answered well. */
  next(script: Script): void {
    this.scripts.push(script);
  }

  /** As if nothing had been. */
  forget(): void {
    this.asked.length = 0;
    this.requests.length = 0;
    this.scripts.length = 0;
  }

  /** The service, selling a text model that sees, of this vendor. */
  world(env: Readonly<Record<string, string>> = {}): Promise<World> {
    const words = (id: string, more: object): object =>
      textEntry(id, ['openai:gpt-4o-mini'], { inputUsdPerMtok: '3', outputUsdPerMtok: '15', ...more });
    const catalog = catalogOf(
      [],
      [
        words('words', { vision: true }),
        words('words-only', {}),
        words('frugal', { vision: true, imageTokensMax: 500 }),
      ],
    );
    return World.start({
      OPENAI_BASE_URL: `${this.origin}/v1`,
      OPENAI_API_KEY: 'sk-fake-0123456789',
      ALLOW_SANDBOX_MIX: 'true',
      ...catalog,
      ...env,
    });
  }

  protected override serve({ body: bytes, incoming }: Received, response: ServerResponse): void {
    const text = bytes.toString();
    const asked = { text, body: JSON.parse(text) as Record<string, unknown> };
    this.asked.push(asked);
    this.requests.push(incoming);
    (this.scripts.shift() ?? says)(response, asked, incoming);
  }
}
