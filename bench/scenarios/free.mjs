// Free routes: the cost of Lamppost, compared with bare Fastify that returns the same bytes.
import { fundedKey } from '../lib/caller.mjs';
import { contest, table } from '../lib/contest.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

const QUOTE = { modelId: 'torch-video', duration: 8, resolution: '1080p' };
const JOBS = 50;
const JSON_TYPE = { 'content-type': 'application/json' };

export const about =
  'models, quotes and looks at a job against bare Fastify (aim: a ratio of at least 0.6; looks 0.5)';

const bare = async (env) => startServer({ args: ['bench/peers/fastify.mjs'], port: await freePort(), env });

/** Polls of finished jobs by their owner, one job after the other. */
const polled = async (url) => {
  const headers = { 'x-api-key': await fundedKey(url) };
  const requests = await Promise.all(
    Array.from({ length: JOBS }, async () => {
      const made = await fetch(`${url}/v1/agent/generate`, {
        method: 'POST',
        headers: { ...headers, ...JSON_TYPE, prefer: 'wait=0' },
        body: JSON.stringify({ modelId: 'ember-image', prompt: 'a lamppost in the rain' }),
      }).then((answer) => answer.json());
      return { path: `/v1/agent/jobs/${made.jobId}`, headers };
    }),
  );
  const answers = requests.map(({ path }) =>
    fetch(url + path, { headers: { ...headers, prefer: 'wait=20' } }).then((answer) => answer.text()),
  );
  const [bytes] = await Promise.all(answers);
  return { poll: { path: '/', requests }, bytes };
};

export const run = async (options) => {
  const postgres = await startPostgres();
  const service = await startService({
    DATABASE_URL: await postgres.database('lamppost'),
    SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
  });
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
  const bareModels = await bare({ ANSWER_PATH: '/v1/agent/models', ANSWER_BODY: models });
  const bareQuote = await bare({
    ANSWER_PATH: '/v1/agent/quote',
    ANSWER_METHOD: 'POST',
    ANSWER_BODY: quoted,
    BODY_SCHEMA: schema,
  });
  const { poll, bytes } = await polled(service.url);
  const bareRows = await bare({ ANSWER_BODY: bytes, ROWS_URL: await postgres.database('rows') });
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
      console.log(
        table(
          `GET /v1/agent/jobs/{id}, ${connections} connections`,
          await contest(
            [
              {
                name: 'bare Fastify, one row, same bytes',
                server: bareRows,
                request: { path: '/rows/poll' },
              },
              { name: 'Lamppost', server: service, request: poll },
            ],
            settings,
          ),
        ),
      );
    }
  } finally {
    await Promise.all([service, bareModels, bareQuote, bareRows].map((server) => server.stop()));
    await postgres.stop();
  }
};
