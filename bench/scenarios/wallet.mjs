// Compares the wallet rail with our key rail: the cost of a signature's proof, with a repeated header and with a new
// one.
import { randomBytes } from 'node:crypto';

import { privateKeyToAccount } from 'viem/accounts';

import { contest, table } from '../lib/contest.mjs';
import { fundedKey } from '../lib/caller.mjs';
import { Lamppost, SignIn } from '../lib/lamppost.mjs';
import { startService } from '../lib/service.mjs';

export const about = 'wallet rail against key rail (aim 0.9 for a header sent again, 0.45 for new headers)';

const BODY = JSON.stringify({
  messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }],
});
const FRESH = 4_000;

/** A header that the service has not verified before. */
const signIn = (account, url) => new SignIn(account, new URL(url), 8_453).headers();

export const run = async (options) => {
  const service = await startService();
  try {
    const key = await fundedKey(service.url);
    const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`);
    const wallet = new Lamppost({ baseUrl: service.url, wallet: account, budget: { perCall: 500 } });
    await wallet.topUp(500);
    const call = (headers) => ({
      path: '/v1/agent/chat',
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: BODY,
    });
    const again = call(await signIn(account, service.url));
    for (const connections of options.connections) {
      const headers = await Promise.all(Array.from({ length: FRESH }, () => signIn(account, service.url)));
      let next = 0;
      const fresh = {
        ...call({}),
        requests: Array.from({ length: FRESH }, () => call(headers[(next += 1) % FRESH])),
      };
      const rows = await contest(
        [
          { name: 'key rail', server: service, request: call({ 'x-api-key': key }) },
          { name: 'wallet rail, one header again', server: service, request: again },
          { name: 'wallet rail, new headers until they run out', server: service, request: fresh },
        ],
        { ...options, connections },
      );
      console.log(table(`POST /v1/agent/chat, ${connections} connections`, rows));
    }
  } finally {
    await service.stop();
  }
};
