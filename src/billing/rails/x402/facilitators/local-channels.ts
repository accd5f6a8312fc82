import type { FacilitatorClient } from '@x402/core/server';
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator';
import { type Abi, encodeFunctionData } from 'viem';

import { micro } from '../../../../kernel/money';
import type { Settings } from '../../../../platform/config/settings';
import { type Chain, ChainUnavailable, isTransportFailure } from './chain';
import type { Relayer } from './relayer';
import { weiMaxOf } from './settlement-fee';

type Signer = ConstructorParameters<typeof BatchSettlementEvmScheme>[0];

/** A claim of a hundred channels takes about six million gas; a block of Base has room for many such claims. */
const CLAIM_GAS_MAX = 12_000_000n;

interface Call {
  readonly address: `0x${string}`;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
}

interface Needs {
  readonly chain: Chain;
  readonly settings: Settings['x402'];
  readonly relayer: () => Relayer;
}

/** The error of a node that did not answer while the scheme ran. */
interface Attempt {
  failure?: unknown;
}

/** Runs the scheme of the published package with our own node. Our wallet pays the gas. */
export const localChannelClient = ({ chain, settings, relayer }: Needs): FacilitatorClient => {
  const { client } = chain;
  /** Each call gets a separate scheme, so that a failure surely belongs to this call. */
  const schemeOf = (attempt: Attempt): BatchSettlementEvmScheme => {
    const signer = {
      getAddresses: () => [relayer().address],
      readContract: async (args: Call) => {
        try {
          return await client.readContract({
            ...args,
            account: relayer().address,
            gas: CLAIM_GAS_MAX,
          } as Parameters<typeof client.readContract>[0]);
        } catch (error) {
          if (isTransportFailure(error)) attempt.failure = error;
          throw error;
        }
      },
      getCode: (args: Parameters<Signer['getCode']>[0]) => client.getCode(args),
      writeContract: ({ address, abi, functionName, args }: Call) =>
        relayer().send(
          {
            to: address,
            data: encodeFunctionData({ abi, functionName, args }),
            // The gas of a stranger's deposit may cost only a part of the deposit. Claims have no such limit, because
            // they bring our own money.
            weiMax: functionName === 'deposit' ? weiMaxOf(micro(args[1] as bigint), settings) : undefined,
            gasMax: functionName === 'deposit' ? settings.gasMax : CLAIM_GAS_MAX,
          },
          {},
        ),
      // Only the deployment of a wallet would use this, and the service does not pay for deployments.
      sendTransaction: () => Promise.reject(new Error('Wallets are not deployed here.')),
      waitForTransactionReceipt: ({ hash }: { hash: `0x${string}` }) => relayer().receiptOf(hash),
    };
    return new BatchSettlementEvmScheme(signer as unknown as Signer);
  };
  const { scheme } = schemeOf({});
  const kind = { x402Version: 2, scheme, network: settings.network as `${string}:${string}` };
  return {
    // If the node does not answer the simulation of a deposit, the scheme reports a refusal. The client must then
    // report an outage instead.
    verify: async (payload, requirements) => {
      const attempt: Attempt = {};
      const answer = await schemeOf(attempt).verify(payload, requirements);
      if (!answer.isValid && attempt.failure !== undefined) throw new ChainUnavailable(attempt.failure);
      return answer;
    },
    settle: async (payload, requirements) => {
      const attempt: Attempt = {};
      const answer = await schemeOf(attempt).settle(payload, requirements);
      const isUnsent = !answer.success && answer.transaction === '';
      if (isUnsent && attempt.failure !== undefined) throw new ChainUnavailable(attempt.failure);
      return answer;
    },
    getSupported: () => Promise.resolve({ kinds: [kind], extensions: [], signers: {} }),
  };
};
