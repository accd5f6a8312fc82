// A chat call by key. The service durably holds the price, runs the call, settles it and stores the answer for a
// replay.
import { contest, table } from '../lib/contest.mjs';
import { fundedKey } from '../lib/caller.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'key-rail chat against Fastify that does only a minimal durable debit (aim: a ratio of at least 0.6)';

const BODY = JSON.stringify({
  messages: [
    {
      role: 'system',
      content: 'You are a helpful assistant that answers in one short sentence and nothing else.',
    },
    {
      role: 'user',
      content: 'Say why lampposts are painted green in some cities and black in others, please.',
    },
  ],
});

export const run = async (options) => {
  const postgres = await startPostgres();
  const service = await startService({
    DATABASE_URL: await postgres.database('lamppost'),
    SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
  });
  const key = await fundedKey(service.url);
  const peerUrl = await postgres.database('peer');
  await onDatabase(peerUrl, async (client) => {
    await client.query(
      `create table bench_account (id bigint primary key, balance_micro bigint not null check (balance_micro >= 0)) with (fillfactor = 50)`,
    );
    await client.query(
      `create table bench_ledger (id bigserial, account_id bigint, delta_micro bigint, balance_micro bigint, created_at timestamptz default now(), primary key (account_id, id))`,
    );
    await client.query(`insert into bench_account values (1, 9000000000000)`);
  });
  const peer = await startServer({
    args: ['bench/peers/debit.mjs'],
    port: await freePort(),
    env: { DATABASE_URL: peerUrl, KEY: key },
  });
  const request = {
    path: '/v1/agent/chat',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: BODY,
  };
  try {
    for (const connections of options.connections) {
      const rows = await contest(
        [
          { name: 'Fastify + one minimal debit statement', server: peer, request },
          { name: 'Lamppost, key rail', server: service, request },
        ],
        { ...options, connections },
      );
      console.log(table(`POST /v1/agent/chat, one hot key, ${connections} connections`, rows));
    }
  } finally {
    await Promise.all([service.stop(), peer.stop()]);
    await postgres.stop();
  }
};
