import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { stringToHex } from 'viem';

import type { Micro } from '#kernel/money';
import type { WalletAddress } from '#kernel/wallet-address';
import type { PartState } from '#platform/health/health-parts';
import { getOrMake } from '#kernel/maps';
import type { X402Metrics } from '../x402.metrics';
import {
  type ChainOutcome,
  type ChainView,
  type ChainNotary,
  type ChannelAccess,
  Facilitator,
  type Misfit,
  type SettleAttempt,
  type Verdict,
  type Written,
} from './facilitator';
import type { ClaimedPayment, Hex, SignedPayment } from '../proof/signed-payment';
import { Chain, plainSignature } from './chain';
import { channelState, hasChannels } from './channel-chain';
import { localChannelClient } from './local-channels';
import { faultOfReason } from './fault-of-reason';
import { FeeTooHigh, Relayer, type Sending, type TransactionProgress, isRefusedByNode } from './relayer';
import { weiMaxOf, weiOf } from './settlement-fee';
import { transferCall } from './transfer-call';
import { wirePayment } from './wire-payment';
import type { X402Settings } from '../x402.settings';

/**
 * Below the lease of 30 seconds, so that no other process takes the charge over while this process waits for a block.
 */
const RECEIPT_MS_MAX = 20_000;

type Signer = ConstructorParameters<typeof ExactEvmScheme>[0];

interface Attempt extends TransactionProgress {
  /** The reason why nothing was sent. */
  error?: unknown;
}

/** Verifies and settles in this process, through a node, with a key that pays the gas. */
export class LocalFacilitator extends Facilitator {
  readonly paysGas = true;
  readonly forgets = true;
  readonly seesBalances = true;
  private readonly chain: Chain;
  private readonly relayers = new Map<Hex, Relayer>();

  constructor(
    private readonly settings: X402Settings['x402'],
    private readonly metrics: X402Metrics,
    private readonly receiptMsMax = RECEIPT_MS_MAX,
  ) {
    super();
    this.chain = new Chain(settings);
  }

  /**
   * The relayer of the present key, which may change while the service runs. Each relayer keeps its queue, so a key
   * that is used again continues its nonces.
   */
  private get relayer(): Relayer {
    const { relayerKey: key, gasMax } = this.settings;
    if (key === undefined) throw new Error('The local facilitator needs a relayer key.');
    const make = (): Relayer => new Relayer(key, this.chain, this.metrics, this.receiptMsMax, gasMax);
    return getOrMake(this.relayers, key, make);
  }

  get isPlay(): boolean {
    return this.chain.isTestChain ?? this.settings.onThisMachine;
  }

  override get channels(): ChannelAccess {
    const { chain, settings } = this;
    const needs = { chain, settings, relayer: () => this.relayer };
    return {
      client: localChannelClient(needs),
      mover: (moved) => localChannelClient(needs, moved),
      stateOf: (channelId) => channelState(chain, channelId),
      isThere: () => hasChannels(chain),
    };
  }

  override get notary(): ChainNotary {
    return {
      write: (text, costMax) => this.write(text, costMax),
      blockOf: (transaction) => this.chain.blockOf(transaction),
    };
  }

  async verify(payment: SignedPayment): Promise<Verdict> {
    if (!(await this.chain.isOurs()) || !(await this.canPay())) return { outcome: 'unavailable' };
    const plain = { ...payment, signature: plainSignature(payment) };
    const first = await this.verdict(plain);
    if (first.outcome !== 'refused' || !['invalid_signature', 'refused'].includes(first.fault)) return first;
    // A node that fails for a moment causes the same verdict. If the node answers now, the second verdict counts.
    await this.chain.currentBlock();
    return this.verdict(plain);
  }

  async settle(payment: ClaimedPayment): Promise<SettleAttempt> {
    const attempt: Attempt = {};
    const plain = { ...payment, signature: plainSignature(payment) };
    const { payload, requirement } = wirePayment(plain, this.settings);
    const result = await this.scheme(attempt, plain).settle(payload, requirement);
    if (result.success) return this.proven(payment, result.transaction as Hex);
    const fault = faultOfReason(result.errorReason);
    // Before the facilitator sends the transaction, only the node's verdict proves a refusal. Afterwards, only the
    // receipt of a failed transaction proves it.
    if (attempt.hash !== undefined) {
      return this.isFailedReceipt(result)
        ? { outcome: 'refused', fault, wasted: true }
        : { outcome: 'unknown', why: 'no_receipt' };
    }
    const why = attempt.error ?? (await this.obstacleTo(plain));
    if (why instanceof FeeTooHigh) return { outcome: 'refused', fault: 'fee_too_high' };
    return isRefusedByNode(why) || ['expires_too_soon', 'not_yet_valid'].includes(fault)
      ? { outcome: 'refused', fault }
      : { outcome: 'unknown', why: 'not_sent' };
  }

  outcome(payment: ClaimedPayment, view?: ChainView): Promise<ChainOutcome> {
    return this.chain.outcome(payment, view);
  }

  balanceOf(wallet: WalletAddress): Promise<Micro> {
    return this.chain.balanceOf(wallet);
  }

  override contractAccepts(payment: SignedPayment): Promise<boolean> {
    return this.chain.contractAccepts(payment);
  }

  override misfit(): Promise<Misfit | undefined> {
    return this.chain.misfit();
  }

  override recentBlock(): Promise<bigint> {
    return this.chain.recentBlock();
  }

  async state(): Promise<PartState> {
    await this.chain.currentBlock();
    if (!(await this.chain.isOurs())) return 'down';
    return (await this.canPay()) ? 'ok' : 'degraded';
  }

  /**
   * The scheme accepts any matching transfer of the transaction. This check requires the transfer of this payment's
   * authorization.
   */
  private async proven(payment: ClaimedPayment, transaction: Hex): Promise<SettleAttempt> {
    const transfer = await this.chain.request(() => this.chain.ownTransfer(payment, transaction));
    return transfer === undefined
      ? { outcome: 'unknown', why: 'no_transfer' }
      : { outcome: 'settled', ...transfer };
  }

  /** The relayer sends the text to itself, so no contract is needed. */
  private async write(text: string, costMax: Micro): Promise<Written> {
    const { relayer } = this;
    const progress: TransactionProgress = {};
    try {
      if (!(await this.chain.isOurs()) || !(await this.canPay())) return { outcome: 'refused' };
      const weiMax = weiOf(costMax, this.settings);
      const sending: Sending = { to: relayer.address, data: stringToHex(text), weiMax };
      return { outcome: 'sent', transaction: await relayer.send(sending, progress) };
    } catch (error) {
      if (progress.hash !== undefined) return { outcome: 'sent', transaction: progress.hash };
      return { outcome: error instanceof FeeTooHigh ? 'too-expensive' : 'refused' };
    }
  }

  private canPay(): Promise<boolean> {
    return this.chain.request(() => this.relayer.canPay());
  }

  private async verdict(payment: SignedPayment): Promise<Verdict> {
    const { payload, requirement } = wirePayment(payment, this.settings);
    const { isValid, invalidReason } = await this.scheme({}, payment).verify(payload, requirement);
    return isValid ? this.affordable(payment) : { outcome: 'refused', fault: faultOfReason(invalidReason) };
  }

  /** Refuses a payment whose settlement would cost more than the operator's limit, if there is a limit. */
  private async affordable(payment: SignedPayment): Promise<Verdict> {
    const sending = this.sendingOf(payment);
    if (sending.weiMax === undefined) return { outcome: 'valid' };
    try {
      await this.relayer.passage(sending);
      return { outcome: 'valid' };
    } catch (error) {
      if (error instanceof FeeTooHigh) return { outcome: 'refused', fault: 'fee_too_high' };
      return isRefusedByNode(error) ? { outcome: 'refused', fault: 'refused' } : { outcome: 'unavailable' };
    }
  }

  /** The scheme reports a node that is down as a bad signature, so this method asks the node itself. */
  private obstacleTo(payment: SignedPayment): Promise<unknown> {
    return this.relayer.passage(this.sendingOf(payment)).then(
      () => undefined,
      (error: unknown) => error,
    );
  }

  private sendingOf(payment: SignedPayment): Sending {
    return {
      to: payment.asset,
      data: transferCall(payment),
      weiMax: weiMaxOf(payment.amount, this.settings),
    };
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

  /**
   * Each payment gets a separate scheme, so that the scheme's transactions certainly belong to this payment. One wallet
   * sends the transactions of all payments.
   */
  private scheme(attempt: Attempt, payment: SignedPayment): ExactEvmScheme {
    const { client } = this.chain;
    const { relayer } = this;
    const { asset, gasMax } = this.settings;
    const signer = {
      getAddresses: () => [relayer.address],
      // A contract wallet may answer each sender differently. On chain the token asks the wallet, so we ask with the
      // token as the sender.
      readContract: (args: Parameters<Signer['readContract']>[0]) =>
        client.readContract({
          ...args,
          account: args.functionName === 'isValidSignature' ? asset : relayer.address,
          gas: gasMax,
        } as Parameters<typeof client.readContract>[0]),
      verifyTypedData: () => Promise.resolve(false),
      getCode: (args: Parameters<Signer['getCode']>[0]) => client.getCode(args),
      // The service sends this payment's transfer and nothing else.
      writeContract: async () => {
        try {
          return await relayer.send(this.sendingOf(payment), attempt);
        } catch (error) {
          attempt.error = error;
          throw error;
        }
      },
      // Only the deployment of a wallet would use this, and the service does not pay for deployments.
      sendTransaction: () => Promise.reject(new Error('Wallets are not deployed here.')),
      waitForTransactionReceipt: ({ hash }: { hash: `0x${string}` }) => relayer.receiptOf(hash),
    };
    return new ExactEvmScheme(signer as unknown as Signer);
  }
}
