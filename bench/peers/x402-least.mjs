// The least work of a paid x402 call: recover the signer, store the nonce durably, call the vendor, settle once.
import { createRequire } from 'node:module';

import Fastify from 'fastify';
import pg from 'pg';
import secp256k1 from 'secp256k1';
import { Pool } from 'undici';

const require = createRequire(import.meta.url);
const {
  authorizationDigest,
  domainSeparator,
} = require('../../dist/src/money/billing/rails/x402/proof/authorization-digest.js');
const { keccak256 } = require('../../dist/src/kernel/keccak.js');

const { PORT, DATABASE_URL, UPSTREAM_URL, FACILITATOR_URL } = process.env;
const REQUIREMENT = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '2000',
  asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  payTo: '0x000000000000000000000000000000000000dead',
  maxTimeoutSeconds: 300,
  extra: { name: 'USD Coin', version: '2' },
};
const separator = domainSeparator(REQUIREMENT.extra, 8453, REQUIREMENT.asset);
const db = new pg.Pool({ connectionString: DATABASE_URL, max: 16 });
const upstream = new Pool(UPSTREAM_URL, { connections: 64 });
const facilitator = new Pool(FACILITATOR_URL, { connections: 64 });
const NONCE = {
  name: 'nonce',
  text: 'insert into bench_nonce (nonce, payer) values ($1, $2) on conflict do nothing',
};

const ask = async (pool, path, body) => {
  const headers = { 'content-type': 'application/json' };
  return (await pool.request({ path, method: 'POST', headers, body: JSON.stringify(body) })).body.json();
};

const signer = (digest, signature) => {
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const key = secp256k1.ecdsaRecover(bytes.subarray(0, 64), bytes[64] - 27, digest, false);
  return `0x${keccak256(key.subarray(1)).toString('hex', 12)}`;
};

const app = Fastify({ logger: false });
app.get('/', async () => ({ ok: true }));
app.post('/v1/agent/chat', async (request, reply) => {
  const header = request.headers['payment-signature'];
  if (header === undefined) {
    const required = { x402Version: 2, resource: { url: '/v1/agent/chat' }, accepts: [REQUIREMENT] };
    const encoded = Buffer.from(JSON.stringify(required)).toString('base64');
    return reply.status(402).header('payment-required', encoded).send({});
  }
  const paymentPayload = JSON.parse(Buffer.from(header, 'base64').toString());
  const { authorization, signature } = paymentPayload.payload;
  const payment = {
    payer: authorization.from,
    payTo: authorization.to.toLowerCase(),
    amount: BigInt(authorization.value),
    validAfter: BigInt(authorization.validAfter),
    validBefore: BigInt(authorization.validBefore),
    nonce: authorization.nonce,
  };
  const isSigned = signer(authorizationDigest(separator, payment), signature) === payment.payer;
  const { rowCount } = await db.query({
    ...NONCE,
    values: [Buffer.from(payment.nonce.slice(2), 'hex'), payment.payer],
  });
  if (!isSigned || rowCount !== 1) return reply.status(402).send({});
  const answer = await ask(upstream, '/v1/chat/completions', {
    model: 'bench',
    messages: request.body.messages,
  });
  const settled = await ask(facilitator, '/settle', {
    x402Version: 2,
    paymentPayload,
    paymentRequirements: REQUIREMENT,
  });
  return reply
    .header('payment-response', Buffer.from(JSON.stringify(settled)).toString('base64'))
    .send({ choices: answer.choices, usage: answer.usage });
});
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
