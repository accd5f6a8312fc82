import type { FacilitatorClient } from '@x402/core/server';
import { BATCH_SETTLEMENT_ADDRESS } from '@x402/evm';
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator';
import { type Abi, encodeFunctionData } from 'viem';

import { type Micro, micro } from '#kernel/money';
import { type Chain, ChainUnavailable, isTransportFailure } from './chain';
import { ClaimTooExpensive } from './facilitator';
import { FeeTooHigh, type Relayer, isRefusedByNode } from './relayer';
import { weiMaxOf } from './settlement-fee';
import type { X402Settings } from '../x402.settings';

type Signer = ConstructorParameters<typeof BatchSettlementEvmScheme>[0];

/** A claim of a hundred channels takes about six million gas; a block of Base has room for many such claims. */
const BATCH_GAS_MAX = 12_000_000n;
const SIMULATION_FAILED = 'invalid_batch_settlement_evm_claim_simulation_failed';

/** The money that a transaction moves, and the number of channels in it. Both limit what it may cost. */
export interface Moved {
  readonly worth: Micro;
  readonly channels: number;
}

interface Call {
  readonly address: `0x${string}`;
  readonly abi: Abi;
  readonly functionName: string;
  readonly args: readonly unknown[];
}

interface Needs {
  readonly chain: Chain;
  readonly settings: X402Settings['x402'];
  readonly relayer: () => Relayer;
}

interface Attempt {
  /** The error of a node that did not answer while the scheme ran. */
  failure?: unknown;
  /** The error of a transaction that was not sent. */
  unsent?: unknown;
}

/**
 * Runs the scheme of the published package with our own node. Our wallet pays the gas, within the rules of payments.
 * The moved money limits the cost, and the number of channels limits the gas.
 */
export const localChannelClient = (
  { chain, settings, relayer }: Needs,
  { worth, channels }: Moved = { worth: micro(0n), channels: 1 },
): FacilitatorClient => {
  const { client } = chain;
  const shared = settings.gasMax * BigInt(channels);
  const gasMax = channels > 1 && shared > BATCH_GAS_MAX ? BATCH_GAS_MAX : shared;
  /** Each call gets a separate scheme, so that a failure certainly belongs to this call. */
  const schemeOf = (attempt: Attempt): BatchSettlementEvmScheme => {
    const signer = {
      getAddresses: () => [relayer().address],
      readContract: async (args: Call) => {
        try {
          return await client.readContract({
            ...args,
            // A contract wallet may answer each sender differently. On chain the contract of channels asks the wallet.
            account: args.functionName === 'isValidSignature' ? BATCH_SETTLEMENT_ADDRESS : relayer().address,
            gas: gasMax,
          } as Parameters<typeof client.readContract>[0]);
        } catch (error) {
          if (isTransportFailure(error)) attempt.failure = error;
          if (!isRefusedByNode(error)) attempt.unsent = error;
          throw error;
        }
      },
      getCode: (args: Parameters<Signer['getCode']>[0]) => client.getCode(args),
      writeContract: async ({ address, abi, functionName, args }: Call) => {
        const data = encodeFunctionData({ abi, functionName, args });
        const weiMax = weiMaxOf(functionName === 'deposit' ? micro(args[1] as bigint) : worth, settings);
        try {
          return await relayer().send({ to: address, data, weiMax, gasMax }, {});
        } catch (error) {
          attempt.unsent = error;
          throw error;
        }
      },
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
      if (!answer.isValid && attempt.failure !== undefined)
        throw new ChainUnavailable(attempt.failure, settings.network);
      return answer;
    },
    settle: async (payload, requirements) => {
      const attempt: Attempt = {};
      const answer = await schemeOf(attempt).settle(payload, requirements);
      const isUnsent = !answer.success && answer.transaction === '';
      if (!isUnsent || payload.payload['type'] === 'deposit') {
        if (isUnsent && attempt.failure !== undefined)
          throw new ChainUnavailable(attempt.failure, settings.network);
        return answer;
      }
      if (attempt.unsent instanceof FeeTooHigh) throw new ClaimTooExpensive();
      if (attempt.unsent !== undefined && !isRefusedByNode(attempt.unsent))
        throw new ChainUnavailable(attempt.unsent, settings.network);
      // The estimate of a transaction refuses what the simulation lets pass, such as too much gas.
      return attempt.unsent === undefined ? answer : { ...answer, errorReason: SIMULATION_FAILED };
    },
    getSupported: () => Promise.resolve({ kinds: [kind], extensions: [], signers: {} }),
  };
};
