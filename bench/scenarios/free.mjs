// Free routes: what Lamppost adds to bare Fastify that returns the same bytes.
import { contest, table } from '../lib/contest.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

const QUOTE = { modelId: 'torch-video', duration: 8, resolution: '1080p' };
const JSON_TYPE = { 'content-type': 'application/json' };

export const about = 'models and quotes against bare Fastify (aim: a ratio of at least 0.6)';

const bare = async (path, method, body, schema) =>
  startServer({
    args: ['bench/peers/fastify.mjs'],
    port: await freePort(),
    env: {
      ANSWER_PATH: path,
      ANSWER_METHOD: method,
      ANSWER_BODY: body,
      ...(schema ? { BODY_SCHEMA: schema } : {}),
    },
  });

export const run = async (options) => {
  const service = await startService();
  const models = await fetch(`${service.url}/v1/agent/models`).then((answer) => answer.text());
  const quoted = await fetch(`${service.url}/v1/agent/quote`, {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify(QUOTE),
  }).then((answer) => answer.text());
  const schema = JSON.stringify({
    type: 'object',
    required: ['modelId'],
    properties: { modelId: { type: 'string' }, duration: { type: 'number' }, resolution: { type: 'string' } },
  });
  const bareModels = await bare('/v1/agent/models', 'GET', models);
  const bareQuote = await bare('/v1/agent/quote', 'POST', quoted, schema);
  try {
    for (const connections of options.connections) {
      const settings = { ...options, connections };
      const get = { path: '/v1/agent/models' };
      console.log(
        table(
          `GET /v1/agent/models, ${connections} connections`,
          await contest(
            [
              { name: 'bare Fastify, same bytes', server: bareModels, request: get },
              { name: 'Lamppost', server: service, request: get },
            ],
            settings,
          ),
        ),
      );
      const post = {
        path: '/v1/agent/quote',
        method: 'POST',
        headers: JSON_TYPE,
        body: JSON.stringify(QUOTE),
      };
      console.log(
        table(
          `POST /v1/agent/quote, ${connections} connections`,
          await contest(
            [
              { name: 'bare Fastify, schema, same bytes', server: bareQuote, request: post },
              { name: 'Lamppost', server: service, request: post },
            ],
            settings,
          ),
        ),
      );
    }
  } finally {
    await Promise.all([service, bareModels, bareQuote].map((server) => server.stop()));
  }
};
