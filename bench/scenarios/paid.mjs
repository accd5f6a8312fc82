// A call that is paid with x402, each time with a new payment: signature, nonce, vendor and settlement.
import { contest, table } from '../lib/contest.mjs';
import { payingRequest, wallet } from '../lib/payment.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'an x402 call, facilitator over HTTP, against @x402/express (aim 2.5 times) and the least there is to do';

const PATH = '/v1/agent/chat';
/** V8 compiles code after some thousands of calls, and there are only few paid calls in a second. */
const WARM_SECONDS = 45;

export const run = async (options) => {
  const postgres = await startPostgres();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const facilitator = await startServer({ args: ['bench/peers/facilitator.mjs'], port: await freePort() });
  const nonces = await postgres.database('nonces');
  await onDatabase(nonces, (client) =>
    client.query(
      'create table bench_nonce (nonce bytea primary key, payer text, created_at timestamptz default now())',
    ),
  );
  const FACILITATOR_URL = facilitator.url;
  const service = await startService({
    DATABASE_URL: await postgres.database('lamppost'),
    SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    OPENAI_API_KEY: 'a-key-for-the-bench',
    ALLOW_SANDBOX_MIX: 'true',
    X402_FACILITATOR: 'http',
    X402_FACILITATOR_URL: FACILITATOR_URL,
    X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
  });
  const express = await startServer({
    args: ['bench/peers/x402-express.mjs'],
    port: await freePort(),
    env: { FACILITATOR_URL },
  });
  const least = await startServer({
    args: ['bench/peers/x402-least.mjs'],
    port: await freePort(),
    env: { FACILITATOR_URL, UPSTREAM_URL: upstream.url, DATABASE_URL: nonces },
  });
  const servers = [
    { name: '@x402/express, no vendor and no nonce', server: express },
    { name: 'Lamppost', server: service },
    { name: 'Fastify: signature, nonce, vendor, settlement', server: least },
  ];
  try {
    const contestants = await Promise.all(
      servers.map(async ({ name, server }) => ({
        name,
        server,
        request: await payingRequest(server.url, wallet()),
      })),
    );
    for (const connections of options.connections) {
      const rows = await contest(contestants, { ...options, connections, warmSeconds: WARM_SECONDS });
      console.log(table(`POST ${PATH} with a payment, ${connections} connections`, rows));
    }
  } finally {
    await Promise.all([service, express, least, upstream, facilitator].map((server) => server.stop()));
    await postgres.stop();
  }
};
