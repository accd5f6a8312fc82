// Compares a call that a channel's voucher pays with a call by key and with a payment on chain for each call.
import { channelRequest, startLocalChain } from '../lib/channels.mjs';
import { fundedKey } from '../lib/caller.mjs';
import { contest, table } from '../lib/contest.mjs';
import { payingRequest, wallet } from '../lib/payment.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'a call paid by channel (aim: 1.3 times the CPU of the key rail, and a fifth of exact with its facilitator over HTTP)';

const CALL = {
  path: '/v1/agent/chat',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }] }),
};
const PAY_TO = '0x00000000000000000000000000000000000000aa';
const WARM_SECONDS = 10;
export const run = async (options) => {
  const postgres = await startPostgres();
  const chain = await startLocalChain();
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const facilitator = await startServer({ args: ['bench/peers/facilitator.mjs'], port: await freePort() });
  const common = {
    SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
    OPENAI_BASE_URL: `${upstream.url}/v1`,
    OPENAI_API_KEY: 'a-key-for-the-bench',
    ALLOW_SANDBOX_MIX: 'true',
    X402_PAY_TO: PAY_TO,
  };
  const service = await startService({
    ...common,
    DATABASE_URL: await postgres.database('lamppost'),
    X402_FACILITATOR: 'local',
    X402_RPC_URL: chain.rpcUrl,
    X402_RELAYER_KEY: chain.accounts[0].privateKey,
  });
  const exact = await startService({
    ...common,
    DATABASE_URL: await postgres.database('exact'),
    X402_FACILITATOR: 'http',
    X402_FACILITATOR_URL: facilitator.url,
  });
  try {
    const key = await fundedKey(service.url);
    const keyed = { ...CALL, headers: { ...CALL.headers, 'x-api-key': key } };
    const paying = await payingRequest(exact.url, wallet());
    for (const connections of options.connections) {
      // The end of a burst interrupts calls, and the channels of these calls can't be used again.
      const channels = connections * (options.rounds + 1);
      const byChannel = await channelRequest(chain, CALL, service.url, channels);
      const rows = await contest(
        [
          { name: 'key rail', server: service, request: keyed },
          { name: 'channel, a new voucher each', server: service, request: byChannel },
          { name: 'exact, facilitator over HTTP', server: exact, request: paying },
        ],
        { ...options, connections, warmSeconds: WARM_SECONDS },
      );
      console.log(table(`POST ${CALL.path}, ${connections} connections`, rows));
    }
  } finally {
    await Promise.all([service, exact, upstream, facilitator].map((server) => server.stop()));
    await chain.stop();
    await postgres.stop();
  }
};
