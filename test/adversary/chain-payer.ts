import { type Address, type Hash, type Hex, encodeFunctionData, erc20Abi, parseAbi } from 'viem';

import type { LocalChain } from '../../tools/chain/local-chain';
import { type Authorization, USDC_ADDRESS, signAuthorization, usdcAbi } from '../../tools/chain/test-usdc';
import { signedPayment } from '../contract/rail-callers';
import { WalletCaller } from '../support/caller';
import type { Answer, World } from '../support/world';

export const MULTICALL3: Address = '0xcA11bde05977b3631167028862bE2a173976CA11';
const multicallAbi = parseAbi([
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'function aggregate3(Call3[] calls) payable returns ((bool success, bytes returnData)[])',
]);

export const PAY_TO: Address = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';

/** A chain mines transactions with this fee before ours. */
export const HIGH_FEE = { maxPriorityFeePerGas: 10n ** 11n, maxFeePerGas: 2n * 10n ** 11n };

/** Settings of a service that settles by itself on a local chain. */
export const onChain = (chain: LocalChain, rpcUrl = chain.rpcUrl): Readonly<Record<string, string>> => ({
  X402_FACILITATOR: 'local',
  X402_PAY_TO: PAY_TO,
  X402_RPC_URL: rpcUrl,
  X402_RELAYER_KEY: chain.accounts[1]!.privateKey,
});

/** A signed payment that was not sent yet. */
export interface Drawn {
  readonly header: string;
  readonly authorization: Authorization;
  readonly signature: Hex;
}

/** Reads the payment from a header. This is enough to send it to the chain. */
export const openPayment = (header: string): Drawn => {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as {
    payload: { signature: Hex; authorization: Record<string, string> };
  };
  const { from, to, value, validAfter, validBefore, nonce } = payload.authorization;
  return {
    header,
    signature: payload.signature,
    authorization: {
      from: from as Address,
      to: to as Address,
      value: BigInt(value ?? 0),
      validAfter: BigInt(validAfter ?? 0),
      validBefore: BigInt(validBefore ?? 0),
      nonce: nonce as Hex,
    },
  };
};

/** The contract call that executes an authorization. Anybody may make it. */
export const carryingOut = ({ authorization, signature }: Omit<Drawn, 'header'>): Hex => {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return encodeFunctionData({
    abi: usdcAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  });
};

/** One call of a transaction with several calls. Without an address, it calls the token. */
interface Batched {
  readonly target?: Address;
  readonly data: Hex;
}

/** A payer who reads the chain like the service, and sends any transaction to it at any time. */
export class ChainPayer extends WalletCaller {
  constructor(readonly chain: LocalChain) {
    super();
  }

  async fundOnChain(amount: bigint): Promise<this> {
    await this.chain.usdc.mint(this.account.address, amount);
    return this;
  }

  onChain(): Promise<bigint> {
    return this.chain.usdc.balanceOf(this.account.address);
  }

  /** Signs the payment that a 402 of this route requires. */
  async draw(world: World, url: string, body: object): Promise<Drawn> {
    return openPayment(await signedPayment(world, this, body, { url }));
  }

  send(world: World, url: string, body: object, { header }: Pick<Drawn, 'header'>): Promise<Answer> {
    return world.post(url, body, { 'payment-signature': header });
  }

  /** Signs another authorization with a nonce of the payer's choice. */
  async sign(fields: { to: Address; value: bigint; nonce: Hex }): Promise<Omit<Drawn, 'header'>> {
    return signAuthorization(this.privateKey, fields);
  }

  /** Permits a contract to move the payer's tokens. */
  async allow(spender: Address): Promise<void> {
    const { client } = this.chain;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 2n ** 200n] });
    const hash = await client.sendTransaction({ account: this.account.address, to: USDC_ADDRESS, data });
    await client.waitForTransactionReceipt({ hash });
  }

  /** Moves the whole balance to another address, with a high fee. */
  async empty(): Promise<Hash> {
    const { client, accounts } = this.chain;
    const args = [accounts[5]!.address, await this.onChain()] as const;
    return client.sendTransaction({
      account: this.account.address,
      to: USDC_ADDRESS,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
      ...HIGH_FEE,
    });
  }

  /** The contract call that moves tokens by such a permission. */
  taking(to: Address, value: bigint): Hex {
    const args = [this.account.address, to, value] as const;
    return encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args });
  }

  /**
   * Makes all calls in one transaction, from an account without a relation to the service. Resolves when it is mined.
   */
  async batch(calls: readonly Batched[]): Promise<void> {
    await this.mined(await this.submit(calls));
  }

  /** Does the same, and resolves when the transaction is sent. */
  submit(calls: readonly Batched[]): Promise<Hash> {
    const { client, accounts } = this.chain;
    const data = encodeFunctionData({
      abi: multicallAbi,
      functionName: 'aggregate3',
      args: [
        calls.map((call) => ({
          target: call.target ?? USDC_ADDRESS,
          allowFailure: false,
          callData: call.data,
        })),
      ],
    });
    // The gas is fixed, because an estimate would need the state before which the transaction must be mined.
    return client.sendTransaction({
      account: accounts[3]!.address,
      to: MULTICALL3,
      data,
      gas: 2_000_000n,
      ...HIGH_FEE,
    });
  }

  async mined(hash: Hash): Promise<void> {
    const { status } = await this.chain.client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`The attack itself failed: ${hash}.`);
  }
}
