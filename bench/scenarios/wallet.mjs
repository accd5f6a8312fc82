// The wallet rail against our own key rail: what proving a signature costs, with a header sent again and with a new one.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

import { privateKeyToAccount } from 'viem/accounts';

import { contest, table } from '../lib/contest.mjs';
import { fundedKey } from '../lib/caller.mjs';
import { startService } from '../lib/service.mjs';

const require = createRequire(import.meta.url);
require('../../tools/typescript.cjs');
const { Lamppost } = require('../../clients/typescript/src/lamppost.ts');

export const about = 'wallet rail against key rail (aim 0.9 for a header sent again, 0.45 for new headers)';

const BODY = JSON.stringify({
  messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }],
});
const FRESH = 4_000;

const signIn = async (account, url) => {
  const message =
    `${new URL(url).host} wants you to sign in with your Ethereum account:\n${account.address}\n\n\nURI: ${url}\n` +
    `Version: 1\nChain ID: 8453\nNonce: ${randomBytes(8).toString('hex')}\nIssued At: ${new Date().toISOString()}`;
  const signature = await account.signMessage({ message });
  return Buffer.from(JSON.stringify({ message, signature })).toString('base64');
};

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
    const again = call({ 'sign-in-with-x': await signIn(account, service.url) });
    for (const connections of options.connections) {
      const headers = await Promise.all(Array.from({ length: FRESH }, () => signIn(account, service.url)));
      let next = 0;
      const fresh = {
        ...call({}),
        requests: Array.from({ length: FRESH }, () =>
          call({ 'sign-in-with-x': headers[(next += 1) % FRESH] }),
        ),
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
