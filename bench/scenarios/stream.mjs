// The way of a streamed answer without money, of this commit and of BEFORE. It needs no database, so it can be measured
// beside other work.
import { resolve } from 'node:path';

import { contest, table } from '../lib/contest.mjs';
import { freePort, startServer } from '../lib/process.mjs';

export const about =
  'a stream of 20 pieces without its charge, against BEFORE (a built checkout of an earlier commit)';

const request = {
  path: '/v1/chat/completions',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }],
    stream: true,
  }),
};
const WARM_SECONDS = 4;

export const run = async (options) => {
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const start = async (name, checkout) => ({
    name,
    request,
    server: await startServer({
      args: ['bench/peers/stream-path.mjs'],
      port: await freePort(),
      env: { CHECKOUT: resolve(checkout), UPSTREAM_URL: upstream.url, NODE_ENV: 'production' },
    }),
  });
  const contestants = [await start('before', process.env.BEFORE ?? '.'), await start('now', '.')];
  try {
    for (const connections of options.connections) {
      const rows = await contest(contestants, { ...options, connections, warmSeconds: WARM_SECONDS });
      console.log(table(`a stream of 20 pieces, ${connections} connections`, rows));
    }
  } finally {
    await Promise.all([...contestants.map(({ server }) => server), upstream].map((one) => one.stop()));
  }
};
