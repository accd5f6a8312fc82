// Makes requests that pay with x402, each with a new payment.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

import secp256k1 from 'secp256k1';

const require = createRequire(import.meta.url);
const BODY = JSON.stringify({
  messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }],
});
const PATH = '/v1/agent/chat';
const JSON_BODY = { 'content-type': 'application/json' };
/** A wallet that signs with the native library. In JavaScript, signing would take longer than the calls. */
export const wallet = () => {
  const {
    authorizationDigest,
    domainSeparator,
  } = require('../../dist/src/money/billing/rails/x402/proof/authorization-digest.js');
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

/** Reads the requirements of a 402, and makes requests that each pay them with a new payment. */
export const payingRequest = async (url, sign) => {
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
