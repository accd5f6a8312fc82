import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { OpenaiTextProvider } from '#models/providers/openai/openai-text.provider';
import { requestOf } from '../support/conversations';

const THINKS_MS = 280_000;
const LOOK_MS = 10_000;

const WORDS =
  'data: {"choices":[{"index":0,"delta":{"content":"Hello."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';

describe('a vendor whose model thinks for minutes', () => {
  let server: Server;
  let provider: OpenaiTextProvider;
  let asked: Promise<ServerResponse>;

  beforeEach(async () => {
    server = createServer((request) => request.resume()).listen(0, '127.0.0.1');
    asked = once(server, 'request').then(([, response]) => response as ServerResponse);
    await once(server, 'listening');
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    provider = new OpenaiTextProvider('openai', { baseUrl, key: 'sk-fake-0123456789', quirks: [] });
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'] });
  });
  afterEach(async () => {
    jest.useRealTimers();
    await provider.close();
    server.closeAllConnections();
    server.close();
  });

  const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it.each(['before its answer begins', 'within its answer'])('is waited for, silent %s', async (when) => {
    const body = { messages: [{ role: 'user', content: 'hi' }] };
    const request = requestOf(body, { model: 'gpt-4o', maxTokens: 9 });
    const pieces = provider.converse(request, new AbortController().signal)[Symbol.asyncIterator]();
    const first = pieces.next();
    first.catch(() => undefined);
    const response = await asked;
    if (when === 'within its answer') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': thinking\n\n');
      for (let turn = 0; turn < 50; turn += 1) await breathe();
    }

    for (let ms = 0; ms < THINKS_MS; ms += LOOK_MS) {
      jest.advanceTimersByTime(LOOK_MS);
      await breathe();
    }
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(WORDS);

    expect(await first).toMatchObject({ value: [{ delta: { content: 'Hello.' } }] });
    await pieces.return?.(undefined);
  });
});
