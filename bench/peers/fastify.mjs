// The limit of the stack: Fastify with the least work that sends the same bytes, from memory or from a row.
import Fastify from 'fastify';
import pg from 'pg';

const {
  PORT,
  ANSWER_PATH = '/answer',
  ANSWER_METHOD = 'GET',
  ANSWER_STATUS = '200',
  ANSWER_HEADER,
  ANSWER_BODY = '{}',
  BODY_SCHEMA,
  ROWS_URL,
} = process.env;
const app = Fastify({ logger: false, bodyLimit: 1 << 20 });
const answer = Buffer.from(ANSWER_BODY);

app.get('/', async () => ({ ok: true }));
app.route({
  method: ANSWER_METHOD,
  url: ANSWER_PATH,
  ...(BODY_SCHEMA === undefined ? {} : { schema: { body: JSON.parse(BODY_SCHEMA) } }),
  handler: (_request, reply) => {
    if (ANSWER_HEADER !== undefined) reply.header('payment-required', ANSWER_HEADER);
    return reply
      .status(Number(ANSWER_STATUS))
      .header('content-type', 'application/json; charset=utf-8')
      .send(answer);
  },
});
if (ROWS_URL !== undefined) {
  const pool = new pg.Pool({ connectionString: ROWS_URL, max: 16 });
  await pool.query('create table answer (id text primary key, body text)');
  await pool.query('insert into answer values ($1, $2)', ['poll', ANSWER_BODY]);
  app.get('/rows/:id', async (request, reply) => {
    const { rows } = await pool.query({
      name: 'answer',
      text: 'select body from answer where id = $1',
      values: [request.params.id],
    });
    return reply.header('content-type', 'application/json; charset=utf-8').send(rows[0].body);
  });
}
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
