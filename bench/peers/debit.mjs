// The least work of a paid call: find the key, price the call, run one durable debit statement, answer.
import { createHash } from 'node:crypto';

import Fastify from 'fastify';
import pg from 'pg';

const { PORT, DATABASE_URL, KEY } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 });
const app = Fastify({ logger: false });
const known = createHash('sha256').update(KEY).digest('base64');
const DEBIT = {
  name: 'debit',
  text: `with d as (update bench_account set balance_micro = balance_micro - $2::bigint
           where id = $1::bigint and balance_micro >= $2::bigint returning id, balance_micro)
         insert into bench_ledger (account_id, delta_micro, balance_micro) select id, -$2::bigint, balance_micro from d
         returning balance_micro`,
};
const schema = {
  body: {
    type: 'object',
    required: ['messages'],
    properties: {
      messages: {
        type: 'array',
        maxItems: 50,
        items: { type: 'object', properties: { role: { type: 'string' }, content: { type: 'string' } } },
      },
      max_tokens: { type: 'integer', minimum: 1, maximum: 8192 },
    },
  },
};
const words = 'light lamp road night '.repeat(6).trim();

app.get('/', async () => ({ ok: true }));
app.post('/v1/agent/chat', { schema }, async (request, reply) => {
  if (createHash('sha256').update(String(request.headers['x-api-key'])).digest('base64') !== known) {
    return reply.code(401).send({ error: 'key' });
  }
  const chars = request.body.messages.reduce((sum, { content }) => sum + content.length, 0);
  const price = Math.max(2000, Math.ceil(((Math.ceil((chars * 2) / 7) * 0.22 + 1024 * 0.43) * 10) / 3));
  const { rows } = await pool.query({ ...DEBIT, values: [1, price] });
  if (rows.length === 0) return reply.code(402).send({ error: 'balance' });
  return {
    choices: [{ message: { role: 'assistant', content: words } }],
    usage: { prompt_tokens: 30, completion_tokens: 24 },
  };
});
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
