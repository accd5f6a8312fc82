import { wrapFetchWithPayment } from '@x402/fetch';
import { x402Client } from '@x402/core/client';
import { ExactEvmScheme } from '@x402/evm';
import {
  type BatchSettlementDepositStrategy,
  BatchSettlementEvmScheme,
  type ClientChannelStorage,
  InMemoryClientChannelStorage,
} from '@x402/evm/batch-settlement/client';
import { type Address, type Hex, toHex, zeroAddress } from 'viem';

import type { LocalChain } from '../../tools/chain/local-chain';
import type { ChannelConfig } from '../../tools/chain/test-channels';
import { decodeHeader, encodeHeader } from '../x402/x402-world';
import { WalletCaller } from './caller';
import type { Answer, World } from './world';

interface Offer {
  readonly scheme: string;
  readonly amount: string;
  readonly network: `${string}:${string}`;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface ChannelPayload {
  x402Version: number;
  accepted: Offer;
  payload: {
    type: string;
    channelConfig: ChannelConfig;
    voucher: { channelId: Hex; maxClaimableAmount: string; signature: Hex };
    deposit?: { amount: string; authorization: unknown };
    amount?: string;
  };
}

/**
 * A wallet that pays by channel with the stock client. With `contract` the payer is that contract wallet, for which the
 * account signs.
 */
export class ChannelCaller extends WalletCaller {
  readonly storage: ClientChannelStorage = new InMemoryClientChannelStorage();
  readonly scheme: BatchSettlementEvmScheme;

  constructor(
    private readonly chain: LocalChain,
    salt = 0n,
    private readonly contract?: Address,
    depositStrategy?: BatchSettlementDepositStrategy,
  ) {
    super();
    const { account } = this;
    const signer = {
      address: contract ?? account.address,
      signTypedData: (message: never) => account.signTypedData(message),
      readContract: (args: never) => chain.client.readContract(args),
    };
    this.scheme = new BatchSettlementEvmScheme(signer as never, {
      storage: this.storage,
      salt: toHex(salt, { size: 32 }),
      ...(depositStrategy !== undefined && { depositStrategy }),
      ...(contract !== undefined && { payerAuthorizer: zeroAddress }),
    });
  }

  override get wallet(): string {
    return this.contract ?? this.account.address;
  }

  async minted(amount = 20_000_000n): Promise<this> {
    await this.chain.usdc.mint(this.wallet as Address, amount);
    return this;
  }

  /** @x402/fetch with channels only, or with both schemes in this order. */
  channelFetch({ exactFirst = false } = {}): typeof fetch {
    const client = new x402Client();
    if (exactFirst) client.register('eip155:8453', new ExactEvmScheme(this.account));
    client.register('eip155:8453', this.scheme);
    client.setSpendControls?.({ maxAmountPerPayment: '$1000' });
    return wrapFetchWithPayment(fetch, client);
  }

  /** The payment that the stock client makes for an unpaid answer. */
  async payFor(answer: Answer): Promise<ChannelPayload> {
    const required = decodeHeader(answer.headers['payment-required']) as unknown as { accepts: Offer[] };
    const accepted = required.accepts.find(({ scheme }) => scheme === 'batch-settlement');
    if (accepted === undefined) throw new Error('No channel was offered.');
    const made = await this.scheme.createPaymentPayload(2, accepted as never);
    return { ...made, accepted } as unknown as ChannelPayload;
  }

  /** Asks for the price of a call and pays it, without a separate server. */
  async pay(world: World, url: string, body: object): Promise<ChannelPayload> {
    return this.payFor(await world.post(url, body));
  }

  send(world: World, url: string, body: object, payment: object, headers = {}): Promise<Answer> {
    return world.post(url, body, { 'payment-signature': encodeHeader(payment), ...headers });
  }

  /** Pays and sends a call, and stores the new total like a stock client. */
  async buy(world: World, url: string, body: object): Promise<Answer> {
    const payment = await this.pay(world, url, body);
    const answer = await this.send(world, url, body, payment);
    await this.learn(payment, answer);
    return answer;
  }

  async learn(payment: ChannelPayload, answer: Answer): Promise<void> {
    const header = answer.headers['payment-response'];
    if (header === undefined) return;
    await this.scheme.schemeHooks.onPaymentResponse!({
      paymentPayload: payment,
      requirements: payment.accepted,
      settleResponse: decodeHeader(header),
    } as never);
  }
}
