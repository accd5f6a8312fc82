// Replaces a provider with a queue, in the wire format of fal. It accepts all work, and finishes it at once or never.
import { createServer } from 'node:http';

const { PORT, NEVER } = process.env;
const origin = `http://127.0.0.1:${PORT}`;

/** A valid picture of one pixel. */
const png = Buffer.from(
  '89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c636800000082008177cd72b6' +
    '0000000049454e44ae426082',
  'hex',
);

let count = 0;
const json = (response, status, value) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));

createServer((request, response) => {
  request.resume();
  request.on('end', () => {
    const [path] = request.url.split('?');
    if (path === '/file.png') return response.writeHead(200, { 'content-type': 'image/png' }).end(png);
    if (request.method === 'POST') {
      const id = `bench-request-${String((count += 1)).padStart(8, '0')}`;
      const address = `${origin}/${path.split('/').slice(1, 3).join('/')}/requests/${id}`;
      return json(response, 200, { status: 'IN_QUEUE', request_id: id, response_url: address });
    }
    if (path.endsWith('/status')) {
      return json(response, NEVER ? 202 : 200, { status: NEVER ? 'IN_PROGRESS' : 'COMPLETED' });
    }
    return json(response, 200, { images: [{ url: `${origin}/file.png` }] });
  });
}).listen(Number(PORT), '127.0.0.1');
