// The limit of a gateway on this stack: Fastify passes the call to UPSTREAM_URL, and passes the answer back without a
// change.
import Fastify from 'fastify';
import { Pool } from 'undici';

const { PORT, UPSTREAM_URL } = process.env;
const app = Fastify({ logger: false, bodyLimit: 1 << 20 });
const upstream = new Pool(UPSTREAM_URL, { connections: 512 });

app.get('/', async () => ({ ok: true }));
app.post('/v1/chat/completions', async (request, reply) => {
  const { headers, body } = await upstream.request({
    path: request.url,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(request.body),
  });
  return reply.header('content-type', headers['content-type']).send(body);
});
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
