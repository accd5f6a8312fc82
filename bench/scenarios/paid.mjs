// A call paid with x402: whose signature it is, the nonce, the vendor, the settlement; every payment is a new one.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

import secp256k1 from 'secp256k1';

import { contest, table } from '../lib/contest.mjs';
import { onDatabase, startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'an x402 call, facilitator over HTTP, against @x402/express (aim 2.5 times) and the least there is to do';

const require = createRequire(import.meta.url);
const BODY = JSON.stringify({
  messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }],
});
const PATH = '/v1/agent/chat';
/** Paid calls are few in a second, and code is compiled after some thousands of them. */
const WARM_SECONDS = 45;
const JSON_BODY = { 'content-type': 'application/json' };
/** Signs as fast as can be; in JavaScript it would take longer than the calls. */
const wallet = () => {
  const {
    authorizationDigest,
    domainSeparator,
  } = require('../../dist/src/billing/rails/x402/proof/authorization-digest.js');
  const { keccak256 } = require('../../dist/src/kernel/keccak.js');
  const key = randomBytes(32);
  const payer = `0x${keccak256(secp256k1.publicKeyCreate(key, false).subarray(1)).toString('hex', 12)}`;
  return (accepted) => {
    const { asset, payTo, amount, maxTimeoutSeconds, extra } = accepted;
    const validBefore = BigInt(Math.floor(Date.now() / 1_000) + maxTimeoutSeconds);
    const nonce = `0x${randomBytes(32).toString('hex')}`;
    const digest = authorizationDigest(domainSeparator(extra, 8453, asset.toLowerCase()), {
      payer,
      payTo: payTo.toLowerCase(),
      amount: BigInt(amount),
      validAfter: 0n,
      validBefore,
      nonce,
    });
    const { signature, recid } = secp256k1.ecdsaSign(digest, key);
    return {
      signature: `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`,
      authorization: {
        from: payer,
        to: payTo,
        value: amount,
        validAfter: '0',
        validBefore: String(validBefore),
        nonce,
      },
    };
  };
};

/** What a client sends that was asked to pay: each time with another payment. */
const payingRequest = async (url, sign) => {
  const asked = await fetch(url + PATH, { method: 'POST', headers: JSON_BODY, body: BODY });
  const required = JSON.parse(Buffer.from(asked.headers.get('payment-required'), 'base64').toString());
  const [accepted] = required.accepts;
  const setupRequest = (request) => {
    const payment = { x402Version: 2, resource: required.resource, accepted, payload: sign(accepted) };
    const header = Buffer.from(JSON.stringify(payment)).toString('base64');
    return { ...request, headers: { ...JSON_BODY, 'payment-signature': header } };
  };
  return { method: 'POST', path: PATH, headers: JSON_BODY, body: BODY, requests: [{ setupRequest }] };
};

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
