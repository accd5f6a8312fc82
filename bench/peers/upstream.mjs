// Replaces a provider that answers at once: an OpenAI-compatible chat endpoint, with whole answers and with streams of
// twenty pieces. It lists as many models as MODELS says.
import { createServer } from 'node:http';

const PIECES = 20;
const about = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'bench' };
const usage = { prompt_tokens: 40, completion_tokens: PIECES, total_tokens: 40 + PIECES };
const whole = JSON.stringify({
  ...about,
  object: 'chat.completion',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'light '.repeat(PIECES) }, finish_reason: 'stop' },
  ],
  usage,
});
const piece = (delta, finish_reason = null, more = {}) =>
  `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
const pieces = [
  ...Array.from({ length: PIECES }, () => piece({ content: 'light ' })),
  piece({}, 'stop'),
  `data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices: [], usage })}\n\n`,
  'data: [DONE]\n\n',
];

const list = JSON.stringify({
  data: Array.from({ length: Number(process.env.MODELS ?? 1) }, (_, at) => ({
    id: `bench/model-n${at}`,
    name: `Model ${at}`,
    context_length: 128_000,
    pricing: { prompt: '0.000001', completion: '0.000002', input_cache_read: '0.0000001' },
    top_provider: { max_completion_tokens: 8_000 },
  })),
});

createServer((request, response) => {
  let body = '';
  request.on('data', (bytes) => (body += bytes));
  request.on('end', () => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(list);
    } else if (body.includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const next = (at) => {
        if (at === pieces.length) {
          response.end();
        } else {
          response.write(pieces[at]);
          setImmediate(next, at + 1);
        }
      };
      next(0);
    } else {
      response.writeHead(200, { 'content-type': 'application/json' }).end(whole);
    }
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
