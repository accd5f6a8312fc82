// Opens channels on a local chain, and makes requests that each pay with a new voucher.
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';

import secp256k1 from 'secp256k1';
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/client';
import { privateKeyToAccount } from 'viem/accounts';

const require = createRequire(import.meta.url);
require('../../tools/typescript.cjs');
export const { startLocalChain } = require('../../tools/chain/local-chain.ts');

const CHAIN_ID = 8453;
const DEPOSIT = 50_000_000n;

const encode = (payment) => Buffer.from(JSON.stringify(payment)).toString('base64');
const decode = (header) => JSON.parse(Buffer.from(header, 'base64').toString());

/** Opens a channel with the first call of the stock client. */
const openChannel = async (chain, call, url) => {
  const key = randomBytes(32);
  const account = privateKeyToAccount(`0x${key.toString('hex')}`);
  await chain.usdc.mint(account.address, DEPOSIT);
  const signer = {
    address: account.address,
    signTypedData: (message) => account.signTypedData(message),
    readContract: (args) => chain.client.readContract(args),
  };
  const scheme = new BatchSettlementEvmScheme(signer, { depositStrategy: () => DEPOSIT });
  const asked = await fetch(url + call.path, call);
  const required = decode(asked.headers.get('payment-required'));
  const accepted = required.accepts.find((offer) => offer.scheme === 'batch-settlement');
  const { payload } = await scheme.createPaymentPayload(2, accepted);
  const payment = { x402Version: 2, resource: required.resource, accepted, payload };
  const paid = await fetch(url + call.path, {
    ...call,
    headers: { ...call.headers, 'payment-signature': encode(payment) },
  });
  if (!paid.ok) throw new Error(`The deposit was refused: ${paid.status} ${await paid.text()}`);
  return { key, payment, price: BigInt(accepted.amount), signed: BigInt(accepted.amount) };
};

/** Signs the next voucher of the channel, for one more call. */
const nextPayment = (channel) => {
  const { voucherDigest } = require('../../dist/src/money/billing/rails/channel/channel-payment.js');
  channel.signed += channel.price;
  const { channelConfig, voucher } = channel.payment.payload;
  const digest = voucherDigest(CHAIN_ID, voucher.channelId, channel.signed);
  const { signature, recid } = secp256k1.ecdsaSign(digest, channel.key);
  const payload = {
    type: 'voucher',
    channelConfig,
    voucher: {
      channelId: voucher.channelId,
      maxClaimableAmount: String(channel.signed),
      signature: `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`,
    },
  };
  return encode({ ...channel.payment, payload });
};

/** Each connection of the load takes a channel without an open call, and returns it with the answer. */
export const channelRequest = async (chain, call, url, count) => {
  const free = [];
  for (let opened = 0; opened < count; opened += 1) free.push(await openChannel(chain, call, url));
  const setupRequest = (request, context) => {
    context.channel = free.pop();
    if (context.channel === undefined) throw new Error('Every channel has an open call.');
    const header = nextPayment(context.channel);
    return { ...request, headers: { ...call.headers, 'payment-signature': header } };
  };
  const onResponse = (status, body, context) => {
    // A refused voucher pays nothing, so the next voucher is for the same total.
    if (status !== 200) context.channel.signed -= context.channel.price;
    free.push(context.channel);
  };
  return { ...call, requests: [{ setupRequest, onResponse }] };
};
