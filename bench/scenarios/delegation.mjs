// The cost of delegation for a call: with a key without parents, a key at depth 3, and a key with a reserve. With
// `BEFORE=/another/checkout` (built), the key without parents is compared with that checkout.
import { resolve } from 'node:path';

import { fundedKey } from '../lib/caller.mjs';
import { contest, table } from '../lib/contest.mjs';
import { Lamppost } from '../lib/lamppost.mjs';
import { startService } from '../lib/service.mjs';

export const about = 'keys that were handed on against keys without parents (aim 0.8 at depth 3)';

const BODY = JSON.stringify({
  messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }],
});
const LIMIT = 1_000_000_000;

const handed = async (baseUrl, key, more = {}) => {
  const { delegated } = new Lamppost({ baseUrl, key });
  return (await delegated.create({ limitMicro: LIMIT, expiresInSeconds: 86_400, ...more })).key;
};

const chat = (key) => ({
  path: '/v1/agent/chat',
  method: 'POST',
  headers: { 'content-type': 'application/json', 'x-api-key': key },
  body: BODY,
});

export const run = async (options) => {
  const service = await startService();
  const before =
    process.env.BEFORE && (await startService({}, [], resolve(process.env.BEFORE, 'dist/src/main.js')));
  try {
    const { url } = service;
    const root = await fundedKey(url);
    let deep = root;
    for (let depth = 1; depth <= 3; depth += 1) deep = await handed(url, deep);
    const reserved = await handed(url, root, { reserve: true });
    const sides = [
      ...(before ? [{ name: 'before', server: before, request: chat(await fundedKey(before.url)) }] : []),
      { name: 'a key without parents', server: service, request: chat(root) },
      { name: 'a key at depth 3', server: service, request: chat(deep) },
      { name: 'a key with a reserve', server: service, request: chat(reserved) },
    ];
    for (const connections of options.connections) {
      const rows = await contest(sides, { ...options, connections });
      console.log(table(`POST /v1/agent/chat, ${connections} connections`, rows));
    }
  } finally {
    await service.stop();
    if (before) await before.stop();
  }
};
