// Says whether the receipt of a charge is genuine: `verify.mjs <address of the service> <charge id>`.
import { createPublicKey, verify } from 'node:crypto';

const [base, id] = process.argv.slice(2);
const read = async (path) => (await fetch(base + path)).json();

const { jws, ...receipt } = await read(`/v1/agent/charges/${id}`);
const { keys } = await read('/.well-known/jwks.json');
const [head, , signature] = jws.split('.');
const { kid } = JSON.parse(Buffer.from(head, 'base64url'));
const key = createPublicKey({ key: keys.find((one) => one.kid === kid), format: 'jwk' });
const sorted = JSON.stringify(
  Object.fromEntries(Object.entries(receipt).sort(([a], [b]) => (a < b ? -1 : 1))),
);
const signed = Buffer.from(`${head}.${Buffer.from(sorted).toString('base64url')}`);
console.log(verify(null, signed, key, Buffer.from(signature, 'base64url')) ? 'genuine' : 'forged');
