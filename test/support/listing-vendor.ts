import type { ServerResponse } from 'node:http';

import { event, openStream, piece, usage } from '../adversary/text-vendor';
import { LoopbackServer, type Received } from './loopback-server';

const COMPLETION = piece({ role: 'assistant', content: 'Hi.' }, 'stop') + usage(20, 100) + event('[DONE]');
const MESSAGE = [
  { type: 'message_start', message: { usage: { input_tokens: 21, output_tokens: 1 } } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 100 } },
  { type: 'message_stop' },
]
  .map(event)
  .join('');

const WHOLE = {
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 20, completion_tokens: 100 },
};

/** A vendor with a list of models. It answers messages and chat completions. */
export class ListingVendor extends LoopbackServer {
  list: (received: Received) => unknown = () => ({ data: [] });
  status = 200;
  readonly asked: string[] = [];
  listings = 0;
  /** Names of models that get a 404, whatever the list says. */
  lacks: readonly string[] = [];
  /** The error status of every call. */
  failsWith?: number;

  sells(...models: readonly (string | object)[]): void {
    const data = models.map((model) => (typeof model === 'string' ? { id: model, type: 'model' } : model));
    this.list = () => ({ data, has_more: false });
  }

  protected serve(received: Received, response: ServerResponse): void {
    const isList = received.path.endsWith('/models');
    const { model = '', stream = false } = isList
      ? {}
      : (JSON.parse(received.body.toString()) as { model?: string; stream?: boolean });
    if (!isList) this.asked.push(model);
    if (isList) {
      this.listings += 1;
      response.writeHead(this.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(this.list(received)));
    } else if (this.failsWith !== undefined) {
      response.writeHead(this.failsWith).end('upstream failed');
    } else if (this.lacks.includes(model)) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ type: 'error', error: { type: 'not_found_error', message: `model: ${model}` } }),
      );
    } else if (!stream) {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(WHOLE));
    } else {
      openStream(response).end(received.path.endsWith('/messages') ? MESSAGE : COMPLETION);
    }
  }
}
