// The way of a streamed answer without money, from the vendor's client to the writer of events. CHECKOUT is the built
// checkout with these parts.
import { createRequire } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';

import Fastify from 'fastify';

const { CHECKOUT, PORT, UPSTREAM_URL } = process.env;
const require = createRequire(`${CHECKOUT}/package.json`);
const built = (file) => require(`${CHECKOUT}/dist/src/${file}.js`);
const { OpenaiTextProvider } = built('models/providers/openai/openai-text.provider');
const { readCompletion } = built('models/conversation/completions-body');
const { SseReply } = built('platform/http/answers/sse-reply');
const { CompletionStream } = built('work/chat/completions/completion-stream');
const { Meter } = built('work/chat/completions/meter');

const RATES = { input: 100_000n, output: 400_000n };
const provider = new OpenaiTextProvider('openai', { baseUrl: `${UPSTREAM_URL}/v1`, key: () => 'a-key' });
const limits = { time: new AbortController().signal, lastCall: new AbortController().signal };
const app = Fastify({ logger: false });

app.get('/', async () => ({ ok: true }));
app.post('/v1/chat/completions', async ({ body }, reply) => {
  const sse = new SseReply(reply, limits.time, limits.lastCall);
  const request = {
    model: 'a-model',
    maxTokens: 1_024,
    ourId: 'a-charge',
    conversation: readCompletion(body),
    copies: new Map(),
  };
  const pieces = provider.converse(request, sse.over)[Symbol.asyncIterator]();
  const first = await pieces.next();
  const conversation = {
    id: 'a-charge',
    name: 'a-model',
    meter: new Meter(RATES, { price: 1_000_000n, input: 40 }),
    hold: { follow: () => undefined },
    answer: Promise.resolve({ first, pieces, spent: () => undefined }),
  };
  const stream = new CompletionStream(sse, conversation, limits, false);
  sse.open();
  await stream.send();
  sse.holdBack();
  await turn(); // The charge takes at least this long.
  for (const piece of stream.ending({})) stream.sendPiece(piece);
  sse.end();
});
process.on('SIGTERM', () => process.exit(0));
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
