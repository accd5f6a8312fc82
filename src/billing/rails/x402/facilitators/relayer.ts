import {
  type Account,
  BaseError,
  type Client,
  HttpRequestError,
  TimeoutError,
  createNonceManager,
  encodeFunctionData,
  keccak256,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { jsonRpc } from 'viem/nonce';

import type { Metrics } from '../../../../platform/telemetry/metrics';
import type { Hex } from '../signed-payment';
import type { Chain } from './chain';

/** What a transfer by authorization costs, with room for contract wallets. */
const GAS_PER_TRANSFER = 150_000n;
/** Fewer transfers than this in the tank, and no new payment is claimed. */
const TRANSFERS_MIN = 3n;
const FUEL_FRESH_MS = 5_000;
const NONCE_TAKEN = /nonce too low|already (imported|known)|replacement transaction underpriced/i;

export interface Sending {
  readonly address: Hex;
  readonly abi: readonly unknown[];
  readonly functionName: string;
  readonly args: readonly unknown[];
}

/** What happened on the way of one transaction. */
export interface Voyage {
  /** Set just before the transaction leaves us: from then on only the chain knows. */
  hash?: Hex;
}

const isTransportFailure = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null;

/** The wallet that pays the gas. One transaction is prepared and sent at a time, so that their numbers have no gaps. */
export class Relayer {
  private readonly account: Account & ReturnType<typeof privateKeyToAccount>;
  private readonly nonces = createNonceManager({ source: jsonRpc() });
  private last: Promise<unknown> = Promise.resolve();
  private fuel?: { readonly enough: boolean; readonly readAt: number };

  constructor(
    key: Hex,
    private readonly chain: Chain,
    private readonly metrics: Metrics,
    private readonly receiptMsMax: number,
  ) {
    this.account = privateKeyToAccount(key);
  }

  get address(): Hex {
    return this.account.address;
  }

  /** Resolves with the hash once the transaction is on its way. */
  send(sending: Sending, voyage: Voyage): Promise<Hex> {
    const sent = this.last.then(() => this.sendOrAgain(sending, voyage));
    this.last = sent.catch(() => undefined);
    return sent;
  }

  async receiptOf(hash: Hex): ReturnType<Chain['client']['waitForTransactionReceipt']> {
    try {
      return await this.chain.client.waitForTransactionReceipt({ hash, timeout: this.receiptMsMax });
    } catch (error) {
      // It may have been dropped; then the next one must not wait behind a number that never comes.
      this.forgetNumbers();
      throw error;
    }
  }

  /** Whether the tank holds enough for some transfers at the present price. */
  async canPay(): Promise<boolean> {
    if (this.fuel === undefined || performance.now() - this.fuel.readAt > FUEL_FRESH_MS) {
      const [wei, price] = await Promise.all([
        this.chain.client.getBalance({ address: this.address }),
        this.chain.client.getGasPrice(),
      ]);
      this.metrics.relayerGas(this.address, wei);
      this.fuel = { enough: wei >= price * GAS_PER_TRANSFER * TRANSFERS_MIN, readAt: performance.now() };
    }
    return this.fuel.enough;
  }

  private async sendOrAgain(sending: Sending, voyage: Voyage): Promise<Hex> {
    try {
      return await this.sendOnce(sending, voyage);
    } catch (error) {
      this.forgetNumbers();
      // Another process with the same key was faster; the node took nothing of ours.
      if (!(error instanceof BaseError) || !NONCE_TAKEN.test(error.message)) throw error;
      return this.sendOnce(sending, voyage);
    }
  }

  private async sendOnce({ address, abi, functionName, args }: Sending, voyage: Voyage): Promise<Hex> {
    const { client } = this.chain;
    const { chain } = client;
    const data = encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]);
    // The estimate runs the call, so what would revert is known before anything is sent or numbered.
    const gas = await client.estimateGas({ account: this.account, to: address, data });
    const fees = await client.estimateFeesPerGas();
    const nonce = await this.nonces.consume({
      address: this.address,
      chainId: chain!.id,
      client: client as Client,
    });
    const serialized = await this.account.signTransaction({
      type: 'eip1559',
      chainId: chain!.id,
      to: address,
      data,
      nonce,
      gas: (gas * 12n) / 10n,
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
    });
    const hash = keccak256(serialized);
    const before = voyage.hash;
    voyage.hash = hash;
    try {
      return await client.sendRawTransaction({ serializedTransaction: serialized });
    } catch (error) {
      // No answer is no refusal: it may be in the next block, so its receipt is awaited like any other.
      if (isTransportFailure(error)) return hash;
      voyage.hash = before;
      throw error;
    }
  }

  private forgetNumbers(): void {
    this.nonces.reset({ address: this.address, chainId: this.chain.client.chain!.id });
  }
}
