// Replaces a provider that answers at once: an OpenAI-compatible chat endpoint, with whole answers and with streams of
// twenty pieces.
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

createServer((request, response) => {
  let body = '';
  request.on('data', (bytes) => (body += bytes));
  request.on('end', () => {
    if (body.includes('"stream":true')) {
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
