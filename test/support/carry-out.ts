import { Registry } from 'prom-client';

import { LocalFacilitator } from '#money/billing/rails/x402/facilitators/local-facilitator';
import { micro } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import type { Settings } from '../../src/settings';
import { X402Metrics } from '#money/billing/rails/x402/x402.metrics';
import type { LocalChain } from '../../tools/chain/local-chain';
import type { WirePayment } from './fake-facilitator';

/** Settles a payment like a facilitator: on the chain, with its own key. */
export const carryOutOn = async (
  chain: LocalChain,
  x402: Settings['x402'],
  { paymentPayload: { payload } }: WirePayment,
): Promise<string> => {
  const { from, to, value, nonce, validBefore } = payload.authorization;
  const relayerKey = chain.accounts[2]!.privateKey;
  const hands = new LocalFacilitator(
    { ...x402, rpcUrls: [chain.rpcUrl], relayerKey },
    new X402Metrics(new Registry()),
  );
  const settled = await hands.settle({
    network: x402.network,
    asset: x402.asset,
    payer: parseWallet(from)!,
    payTo: parseWallet(to)!,
    amount: micro(BigInt(value)),
    validAfter: 0n,
    validBefore: BigInt(validBefore),
    nonce: nonce as `0x${string}`,
    signature: payload.signature as `0x${string}`,
    chargeId: 'elsewhere',
    settleAttempts: 1,
  });
  return settled.outcome === 'settled' ? settled.transaction : '';
};
