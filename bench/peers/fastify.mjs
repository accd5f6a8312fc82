// The limit of the stack: Fastify that does as little as it can and still sends the same bytes.
import Fastify from 'fastify';

const {
  PORT,
  ANSWER_PATH,
  ANSWER_METHOD = 'GET',
  ANSWER_STATUS = '200',
  ANSWER_HEADER,
  ANSWER_BODY = '{}',
  BODY_SCHEMA,
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
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
