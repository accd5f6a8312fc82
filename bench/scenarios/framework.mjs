// The cost of a route of Nest, compared with a handler that is registered with Fastify.
import { contest, table } from '../lib/contest.mjs';
import { freePort, startServer } from '../lib/process.mjs';

export const about = 'a route of Nest, with an interceptor and without, against a handler of Fastify';

const ANSWER_BODY = JSON.stringify({
  choices: [{ message: { role: 'assistant', content: 'hello '.repeat(40) } }],
});
const BODY = JSON.stringify({ messages: [{ role: 'user', content: 'hello '.repeat(40) }] });
const CONTESTANTS = [
  { name: 'Fastify', peer: 'fastify', env: { ANSWER_PATH: '/v1/agent/chat', ANSWER_METHOD: 'POST' } },
  { name: 'Nest', peer: 'nest', env: {} },
  { name: 'Nest, with an interceptor', peer: 'nest', env: { INTERCEPTED: 'true' } },
];

export const run = async (options) => {
  const contestants = [];
  try {
    for (const { name, peer, env } of CONTESTANTS) {
      const server = await startServer({
        args: [`bench/peers/${peer}.mjs`],
        port: await freePort(),
        env: { ANSWER_BODY, ...env },
      });
      const headers = { 'content-type': 'application/json' };
      const request = { path: '/v1/agent/chat', method: 'POST', headers, body: BODY };
      contestants.push({ name, server, request, expect: peer === 'nest' ? 201 : 200 });
    }
    for (const connections of options.connections) {
      const rows = await contest(contestants, { ...options, connections, warmSeconds: 4 });
      console.log(table(`POST of a small body, ${connections} connections`, rows));
    }
  } finally {
    await Promise.all(contestants.map(({ server }) => server.stop()));
  }
};
