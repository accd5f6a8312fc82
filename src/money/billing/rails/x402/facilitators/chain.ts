import {
  BaseError,
  HttpRequestError,
  type PublicClient,
  TimeoutError,
  TransactionReceiptNotFoundError,
  createPublicClient,
  defineChain,
  parseAbi,
  parseErc6492Signature,
} from 'viem';

import { type Micro, micro } from '#kernel/money';
import { OutsideFailure, networkReason } from '#kernel/outside-failure';
import type { WalletAddress } from '#kernel/wallet-address';
import { rpcTransport } from '#platform/http/outgoing/rpc-transport';
import { deployedWalletAccepts } from '#platform/signatures/contract-signature';
import { authorizationDigest, domainSeparator } from '../proof/authorization-digest';
import type { ChainOutcome, ChainView, Misfit, Transfer } from './facilitator';
import type { ClaimedPayment, Hex, SignedPayment } from '../proof/signed-payment';
import { ownTransferIn } from './own-transfer';
import { SANDBOX_PAY_TO } from '#money/networks/networks';
import type { X402Settings } from '../x402.settings';

/** A node that is slower than this counts as down, and the service asks the next node. */
const CALL_MS_MAX = 4_000;
const TEST_NODE = /anvil|foundry|hardhat|ganache/i;
/** One atomic unit is one micro-USD. */
const USDC_DECIMALS = 6;
const POLLING_MS = 250;
const RECENT_MS = 5_000;
/** Nodes refuse to search more blocks at once. */
export const BLOCKS_AT_ONCE = 5_000n;
/** About 27 hours of Base: longer than any authorization is valid. */
const BLOCKS_BACK = 49_000n;
/**
 * A chain may still drop its newest blocks. After its expiry and this margin, no authorization can be settled any more.
 */
const EXPIRY_MARGIN_SECONDS = 60n;

const tokenAbi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function name() view returns (string)',
  'function version() view returns (string)',
  'function decimals() view returns (uint8)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);

/**
 * The chain did not answer. The error contains the kind of failure and never the node's address, because addresses
 * contain keys.
 */
export class ChainUnavailable extends OutsideFailure {
  constructor(cause: unknown, network: string) {
    const what =
      networkReason(cause) ??
      (cause instanceof BaseError ? cause.walk().name : cause instanceof Error ? cause.name : 'failure');
    super(`The chain ${network} could not be asked: ${what}.`);
    this.name = 'ChainUnavailable';
  }
}

const transportOf = (rpcUrls: readonly string[]) => rpcTransport(rpcUrls, CALL_MS_MAX);

const viemChainOf = ({ chainId }: X402Settings['x402']) =>
  defineChain({
    id: chainId,
    name: `eip155:${chainId}`,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });

/** The node gave no answer, which is neither a yes nor a no. */
export const isTransportFailure = (error: unknown): boolean =>
  error instanceof BaseError &&
  error.walk((cause) => cause instanceof HttpRequestError || cause instanceof TimeoutError) !== null;

/** Removes the wallet's deployment that may wrap a signature (ERC-6492), because the service pays for no deployment. */
export const plainSignature = ({ signature }: SignedPayment): Hex => {
  try {
    return parseErc6492Signature(signature).signature;
  } catch {
    return signature; // The wrapper is malformed, so every later check refuses it.
  }
};

/** Reads the token's contract: the balance of a wallet, and the true outcome of an authorization. */
export class Chain {
  readonly client: PublicClient;
  private readonly separator: Buffer;
  /** Undefined until the node has been asked. */
  isTestChain?: boolean;
  private fits?: { readonly why?: Misfit };
  private recent?: { readonly number: bigint; readonly readAt: number };

  constructor(private readonly settings: X402Settings['x402']) {
    this.client = createPublicClient({
      chain: viemChainOf(settings),
      // Off-chain look-ups are disabled: a stranger's contract must not send our requests to addresses of its choice.
      ccipRead: false,
      pollingInterval: POLLING_MS,
      cacheTime: 0,
      transport: transportOf(settings.rpcUrls),
    }) as PublicClient;
    this.separator = domainSeparator(settings.domain, settings.chainId, settings.asset);
  }

  /** False if the chain is not fit for payments. */
  async isOurs(): Promise<boolean> {
    return (await this.misfit()) === undefined;
  }

  /**
   * The reason why the service must take no payment on this chain. On another chain, or with another name of the token,
   * every signature would fail. With other decimals, an amount would be another sum. With the sandbox's recipient, real
   * money would be lost.
   */
  async misfit(): Promise<Misfit | undefined> {
    this.fits ??= await this.request(async () => {
      const { chainId, domain, payTo } = this.settings;
      const [chain, decimals] = await Promise.all([this.client.getChainId(), this.read('decimals')]);
      this.isTestChain = await this.asksTestNode();
      if (chain !== chainId) return { why: 'chain' };
      if (decimals !== USDC_DECIMALS) return { why: 'decimals' };
      const [name, version] = await Promise.all([this.read('name'), this.read('version')]);
      if (name !== domain.name || version !== domain.version) return { why: 'token' };
      return payTo === SANDBOX_PAY_TO && !this.isTestChain ? { why: 'payee' } : {};
    });
    return this.fits.why;
  }

  /**
   * Test nodes say that they are test nodes. They use the chain ids of real networks, so nothing else distinguishes
   * them.
   */
  private async asksTestNode(): Promise<boolean> {
    try {
      const version: unknown = await this.client.request({ method: 'web3_clientVersion' });
      return typeof version === 'string' && TEST_NODE.test(version);
    } catch (error) {
      if (isTransportFailure(error)) throw error;
      return false; // Providers of real nodes may refuse this question.
    }
  }

  currentBlock(): Promise<bigint> {
    return this.request(() => this.client.getBlockNumber());
  }

  /** The block of a successful transaction; undefined if no block contains it. */
  blockOf(hash: Hex): Promise<bigint | undefined> {
    return this.request(async () => {
      const mined = await this.client.getTransactionReceipt({ hash }).catch((error: unknown) => {
        if (error instanceof TransactionReceiptNotFoundError) return undefined;
        throw error;
      });
      return mined?.status === 'success' ? mined.blockNumber : undefined;
    });
  }

  /**
   * The block at which a later search begins. A value that is some seconds old only makes that search a little longer.
   */
  async recentBlock(): Promise<bigint> {
    if (this.recent === undefined || performance.now() - this.recent.readAt > RECENT_MS)
      this.recent = { number: await this.currentBlock(), readAt: performance.now() };
    return this.recent.number;
  }

  async balanceOf(wallet: WalletAddress): Promise<Micro> {
    return micro((await this.request(() => this.read('balanceOf', wallet))) as bigint);
  }

  /** Asks the wallet by EIP-1271 as if the token did: a wallet may answer each sender differently. */
  async contractAccepts(payment: SignedPayment): Promise<boolean> {
    try {
      return await deployedWalletAccepts(this.client, {
        wallet: payment.payer,
        digest: `0x${authorizationDigest(this.separator, payment).toString('hex')}`,
        signature: plainSignature(payment),
        sender: payment.asset,
        gasMax: this.settings.gasMax,
      });
    } catch (error) {
      if (isTransportFailure(error)) throw new ChainUnavailable(error, this.settings.network);
      await this.currentBlock(); // A node that is down looks like a refusal. Only a node that answers proves a refusal.
      return false;
    }
  }

  /**
   * `authorizationState` alone proves nothing, because it also reports "used" for a cancelled authorization. The event
   * and the transfer prove the payment.
   */
  outcome(payment: ClaimedPayment, view: ChainView = 'latest'): Promise<ChainOutcome> {
    return this.request(async () => {
      const { number, timestamp } = await this.block(view);
      const used = await this.client.readContract({
        address: payment.asset,
        abi: tokenAbi,
        functionName: 'authorizationState',
        args: [payment.payer, payment.nonce],
        blockNumber: number,
      });
      if (!used)
        return { outcome: 'unsettled', final: timestamp > payment.validBefore + EXPIRY_MARGIN_SECONDS };
      const transaction = await this.find('AuthorizationUsed', payment, number);
      if (transaction !== undefined) {
        const transfer = await this.ownTransfer(payment, transaction);
        return transfer === undefined
          ? { outcome: 'unsettled', final: true }
          : { outcome: 'settled', ...transfer };
      }
      return (await this.find('AuthorizationCanceled', payment, number)) === undefined
        ? { outcome: 'unknown' }
        : { outcome: 'unsettled', final: true };
    });
  }

  /** The newest block, or the newest one that is final by the rule of this network. */
  async block(view: ChainView): Promise<{ readonly number: bigint; readonly timestamp: bigint }> {
    const { finality } = this.settings;
    if (view === 'latest') return this.client.getBlock({ blockTag: 'latest' });
    if (typeof finality !== 'bigint') return this.client.getBlock({ blockTag: finality });
    const newest = await this.client.getBlockNumber();
    return this.client.getBlock({ blockNumber: newest > finality ? newest - finality : 0n });
  }

  private async find(
    eventName: 'AuthorizationUsed' | 'AuthorizationCanceled',
    payment: ClaimedPayment,
    newest: bigint,
  ): Promise<Hex | undefined> {
    const oldest = newest > BLOCKS_BACK ? newest - BLOCKS_BACK : 0n;
    const first = payment.fromBlock !== undefined && payment.fromBlock > oldest ? payment.fromBlock : oldest;
    for (let from = first; from <= newest; from += BLOCKS_AT_ONCE) {
      const to = from + BLOCKS_AT_ONCE - 1n;
      const [log] = await this.client.getContractEvents({
        address: payment.asset,
        abi: tokenAbi,
        eventName,
        args: { authorizer: payment.payer, nonce: payment.nonce },
        fromBlock: from,
        toBlock: to < newest ? to : newest,
      });
      if (log !== undefined) return log.transactionHash;
    }
    return undefined;
  }

  /** The transfer of a transaction that pays this payment; undefined if the nonce was used for something else. */
  async ownTransfer(payment: SignedPayment, hash: Hex): Promise<Transfer | undefined> {
    const { logs, status } = await this.client.getTransactionReceipt({ hash });
    const logIndex = status === 'success' ? ownTransferIn(logs, payment) : undefined;
    return logIndex === undefined ? undefined : { transaction: hash, logIndex };
  }

  private read(
    functionName: 'name' | 'version' | 'decimals' | 'balanceOf',
    ...args: readonly WalletAddress[]
  ): Promise<unknown> {
    const { asset: address } = this.settings;
    return this.client.readContract({ address, abi: tokenAbi, functionName, args: args as never });
  }

  /** Replaces errors of `work` with an error without the node's words and address. */
  async request<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new ChainUnavailable(error, this.settings.network);
    }
  }
}
