import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { BaseError, ContractFunctionRevertedError, ExecutionRevertedError } from 'viem';

import type { Micro } from '../../../../kernel/money';
import type { WalletAddress } from '../../../../kernel/wallet-address';
import type { Settings } from '../../../../platform/config/settings';
import type { PartState } from '../../../../platform/telemetry/health-parts';
import type { Metrics } from '../../../../platform/telemetry/metrics';
import {
  type ChainOutcome,
  type ChainView,
  Facilitator,
  type SettleAttempt,
  type Verdict,
} from '../facilitator';
import type { ClaimedPayment, Hex, SignedPayment } from '../signed-payment';
import { Chain } from './chain';
import { faultOfReason } from './fault-of-reason';
import { Relayer, type Sending, type Voyage } from './relayer';
import { wirePayment } from './wire-payment';

/** Below the 30 seconds of a lease, so that nobody takes the charge over while we still wait for its block. */
const RECEIPT_MS_MAX = 20_000;

type Signer = ConstructorParameters<typeof ExactEvmScheme>[0];

interface Trip extends Voyage {
  /** The node ran it and said that it would fail: nothing was sent. */
  reverted?: boolean;
}

const isRevert = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk(
    (cause) => cause instanceof ExecutionRevertedError || cause instanceof ContractFunctionRevertedError,
  ) !== null;

/** Verifies and settles by itself, through a node and with a key that pays the gas. */
export class LocalFacilitator extends Facilitator {
  readonly forgets = true;
  private readonly chain: Chain;
  private readonly relayer: Relayer;

  constructor(
    private readonly settings: Settings['x402'],
    metrics: Metrics,
    receiptMsMax = RECEIPT_MS_MAX,
  ) {
    super();
    if (settings.relayerKey === undefined) {
      throw new Error('The local facilitator needs a relayer key.');
    }
    this.chain = new Chain(settings);
    this.relayer = new Relayer(settings.relayerKey, this.chain, metrics, receiptMsMax);
  }

  async verify(payment: SignedPayment): Promise<Verdict> {
    if (!(await this.chain.isOurs()) || !(await this.canPay())) {
      return { outcome: 'unavailable' };
    }
    const first = await this.verdict(payment);
    if (first.outcome !== 'refused' || !['invalid_signature', 'refused'].includes(first.fault)) {
      return first;
    }
    // A node that fails for a moment looks just like this; one that answers is asked once more.
    await this.chain.currentBlock();
    return this.verdict(payment);
  }

  async settle(payment: ClaimedPayment): Promise<SettleAttempt> {
    const trip: Trip = {};
    const { payload, requirement } = wirePayment(payment, this.settings);
    const result = await this.scheme(trip).settle(payload, requirement);
    if (result.success) {
      return this.proven(payment, result.transaction as Hex);
    }
    const fault = faultOfReason(result.errorReason);
    // Before it was sent, only the node's own verdict counts; afterwards, only a receipt that says it failed.
    const failed = trip.hash === undefined ? trip.reverted === true : this.isFailedReceipt(result);
    if (failed || (trip.hash === undefined && ['expires_too_soon', 'not_yet_valid'].includes(fault))) {
      return { outcome: 'refused', fault };
    }
    return { outcome: 'unknown', why: trip.hash === undefined ? 'not_sent' : 'no_receipt' };
  }

  outcome(payment: ClaimedPayment, view?: ChainView): Promise<ChainOutcome> {
    return this.chain.outcome(payment, view);
  }

  balanceOf(wallet: WalletAddress): Promise<Micro> {
    return this.chain.balanceOf(wallet);
  }

  contractAccepts(payment: SignedPayment): Promise<boolean> {
    return this.chain.contractAccepts(payment);
  }

  recentBlock(): Promise<bigint> {
    return this.chain.recentBlock();
  }

  async state(): Promise<PartState> {
    await this.chain.currentBlock();
    if (!(await this.chain.isOurs())) return 'down';
    return (await this.canPay()) ? 'ok' : 'degraded';
  }

  /** The scheme is content with any fitting transfer of the transaction; it must be this payment's own. */
  private async proven(payment: ClaimedPayment, transaction: Hex): Promise<SettleAttempt> {
    const transfer = await this.chain.asked(() => this.chain.ownTransfer(payment, transaction));
    return transfer === undefined
      ? { outcome: 'unknown', why: 'no_transfer' }
      : { outcome: 'settled', ...transfer };
  }

  private canPay(): Promise<boolean> {
    return this.chain.asked(() => this.relayer.canPay());
  }

  private async verdict(payment: SignedPayment): Promise<Verdict> {
    const { payload, requirement } = wirePayment(payment, this.settings);
    const { isValid, invalidReason } = await this.scheme({}).verify(payload, requirement);
    return isValid ? { outcome: 'valid' } : { outcome: 'refused', fault: faultOfReason(invalidReason) };
  }

  private isFailedReceipt({
    errorReason,
    transaction,
  }: {
    errorReason?: string;
    transaction: string;
  }): boolean {
    return transaction !== '' && errorReason?.endsWith('transaction_failed') === true;
  }

  /** A scheme for one payment, so that what happens on its way is known to belong to it. */
  private scheme(trip: Trip): ExactEvmScheme {
    const { client } = this.chain;
    const signer = {
      getAddresses: () => [this.relayer.address],
      readContract: (args: Parameters<Signer['readContract']>[0]) =>
        client.readContract(args as Parameters<typeof client.readContract>[0]),
      verifyTypedData: () => Promise.resolve(false),
      getCode: (args: Parameters<Signer['getCode']>[0]) => client.getCode(args),
      writeContract: async (args: Sending) => {
        try {
          return await this.relayer.send(args, trip);
        } catch (error) {
          trip.reverted = isRevert(error);
          throw error;
        }
      },
      // Only the deployment of a wallet would need it, and that is not done at our cost.
      sendTransaction: () => Promise.reject(new Error('Wallets are not deployed here.')),
      waitForTransactionReceipt: ({ hash }: { hash: `0x${string}` }) => this.relayer.receiptOf(hash),
    };
    return new ExactEvmScheme(signer as unknown as Signer);
  }
}
