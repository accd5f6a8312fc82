import {
  type Account,
  BaseError,
  type Client,
  ContractFunctionRevertedError,
  ExecutionRevertedError,
  createNonceManager,
  keccak256,
  numberToHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { jsonRpc } from 'viem/nonce';
import { getEstimateGasError } from 'viem/utils';

import { Slots } from '#kernel/slots';
import type { X402Metrics } from '../x402.metrics';
import type { Hex } from '../proof/signed-payment';
import { type Chain, isTransportFailure } from './chain';

/** With gas for fewer transfers than this, the facilitator accepts no new payment. */
const TRANSFERS_MIN = 3n;
const GAS_BALANCE_FRESH_MS = 5_000;
const OUT_OF_GAS = /gas required exceeds|out of ?gas/i;
const NONCE_TAKEN = /nonce too low|already (imported|known)|replacement transaction underpriced/i;

export interface Sending {
  readonly to: Hex;
  readonly data: Hex;
  /** The most that the transaction may cost; undefined without a limit. */
  readonly weiMax: bigint | undefined;
  /** The gas limit of this transaction, if it differs from the limit of a transfer. */
  readonly gasMax?: bigint;
}

export interface TransactionProgress {
  /** Set just before the transaction is sent. From then on only the chain knows its outcome. */
  hash?: Hex;
}

/** The network's present fee is above the limit of this transaction. Nothing was sent. */
export class FeeTooHigh extends Error {}

/** The relayer has too little gas for the limit of this transaction, so the node's error says nothing about the call. */
class RelayerEmpty extends Error {}

/** Whether the node has simulated the call, and the call would fail or use more gas than its limit. */
export const isRefusedByNode = (error: unknown): boolean =>
  error instanceof BaseError &&
  (error.walk(
    (cause) => cause instanceof ExecutionRevertedError || cause instanceof ContractFunctionRevertedError,
  ) !== null ||
    OUT_OF_GAS.test(error.message));

interface GasTerms {
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** The wallet that pays the gas. It prepares and sends one transaction at a time, so its nonces have no gaps. */
export class Relayer {
  private readonly account: Account & ReturnType<typeof privateKeyToAccount>;
  private readonly nonces = createNonceManager({ source: jsonRpc() });
  private readonly turns = new Slots(1);
  private gasBalance?: { readonly enough: boolean; readonly readAt: number };

  constructor(
    key: Hex,
    private readonly chain: Chain,
    private readonly metrics: X402Metrics,
    private readonly receiptMsMax: number,
    private readonly gasMax: bigint,
  ) {
    this.account = privateKeyToAccount(key);
  }

  get address(): Hex {
    return this.account.address;
  }

  /** Resolves with the hash once the transaction was sent. */
  send(sending: Sending, progress: TransactionProgress): Promise<Hex> {
    return this.turns.run(() => this.sendOrAgain(sending, progress));
  }

  async receiptOf(hash: Hex): ReturnType<Chain['client']['waitForTransactionReceipt']> {
    try {
      return await this.chain.client.waitForTransactionReceipt({ hash, timeout: this.receiptMsMax });
    } catch (error) {
      // The network may have dropped the transaction. The next transaction must not wait for a nonce that is never
      // used.
      this.forgetNumbers();
      throw error;
    }
  }

  /** Whether the wallet has gas for some transfers at the present price. */
  async canPay(): Promise<boolean> {
    if (this.gasBalance === undefined || performance.now() - this.gasBalance.readAt > GAS_BALANCE_FRESH_MS) {
      const [wei, price] = await Promise.all([
        this.chain.client.getBalance({ address: this.address }),
        this.chain.client.getGasPrice(),
      ]);
      this.metrics.relayerGas(this.address, wei);
      this.gasBalance = { enough: wei >= price * this.gasMax * TRANSFERS_MIN, readAt: performance.now() };
    }
    return this.gasBalance.enough;
  }

  private async sendOrAgain(sending: Sending, progress: TransactionProgress): Promise<Hex> {
    try {
      return await this.sendOnce(sending, progress);
    } catch (error) {
      this.forgetNumbers();
      // Another process with the same key used this nonce first, and the node has not accepted our transaction.
      if (!(error instanceof BaseError) || !NONCE_TAKEN.test(error.message)) throw error;
      return this.sendOnce(sending, progress);
    }
  }

  /** Throws `FeeTooHigh`, or the node's error, if the transaction can't be sent now. */
  async passage({ to, data, weiMax, gasMax = this.gasMax }: Sending): Promise<GasTerms> {
    const { client } = this.chain;
    const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas();
    // The estimate runs the call from this sender, with its real fees and gas limit. So a failure is known before the
    // transaction gets a nonce, and a contract can't recognise the estimate by its price.
    const used = await this.estimate({ to, data, gasMax, maxFeePerGas, maxPriorityFeePerGas });
    const ample = (used * 12n) / 10n;
    const gas = ample < gasMax ? ample : gasMax;
    // The limit applies to the highest possible cost. A transaction with a lower fee could stay in the pool and block
    // later transactions.
    if (weiMax !== undefined && gas * maxFeePerGas > weiMax) throw new FeeTooHigh();
    return { gas, maxFeePerGas, maxPriorityFeePerGas };
  }

  /**
   * Asks the node directly, because the library's `estimateGas` has no gas limit, and a stranger's code would run
   * without one.
   */
  private async estimate({
    to,
    data,
    gasMax,
    maxFeePerGas,
    maxPriorityFeePerGas,
  }: Required<Pick<Sending, 'to' | 'data' | 'gasMax'>> & Omit<GasTerms, 'gas'>): Promise<bigint> {
    const { client } = this.chain;
    try {
      const used = await client.request({
        method: 'eth_estimateGas',
        params: [
          {
            from: this.address,
            to,
            data,
            gas: numberToHex(gasMax),
            maxFeePerGas: numberToHex(maxFeePerGas),
            maxPriorityFeePerGas: numberToHex(maxPriorityFeePerGas),
          },
        ],
      });
      return BigInt(used);
    } catch (error) {
      // A node lowers the gas limit of a poor sender, and then reports that the call needs more.
      const isPoor = (await client.getBalance({ address: this.address })) < gasMax * maxFeePerGas;
      if (isPoor && OUT_OF_GAS.test((error as BaseError).message)) throw new RelayerEmpty();
      throw getEstimateGasError(error as BaseError, {
        account: this.account,
        chain: client.chain,
        to,
        data,
        maxFeePerGas,
        maxPriorityFeePerGas,
      });
    }
  }

  private async sendOnce(sending: Sending, progress: TransactionProgress): Promise<Hex> {
    const { client } = this.chain;
    const { chain } = client;
    const { to, data } = sending;
    const passage = await this.passage(sending);
    const nonce = await this.nonces.consume({
      address: this.address,
      chainId: chain!.id,
      client: client as Client,
    });
    const serialized = await this.account.signTransaction({
      type: 'eip1559',
      chainId: chain!.id,
      to,
      data,
      nonce,
      ...passage,
    });
    const hash = keccak256(serialized);
    const before = progress.hash;
    progress.hash = hash;
    try {
      return await client.sendRawTransaction({ serializedTransaction: serialized });
    } catch (error) {
      // A missing answer is no refusal: the transaction may be in the next block, so its receipt is awaited as usual.
      if (isTransportFailure(error)) return hash;
      progress.hash = before;
      throw error;
    }
  }

  private forgetNumbers(): void {
    this.nonces.reset({ address: this.address, chainId: this.chain.client.chain!.id });
  }
}
