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

/** Transactions with it are mined before ours. */
export const HIGH_FEE = { maxPriorityFeePerGas: 10n ** 11n, maxFeePerGas: 2n * 10n ** 11n };

/** Settings of a service that settles by itself on a local chain. */
export const onChain = (chain: LocalChain, rpcUrl = chain.rpcUrl): Readonly<Record<string, string>> => ({
  X402_FACILITATOR: 'local',
  X402_PAY_TO: PAY_TO,
  X402_RPC_URL: rpcUrl,
  X402_RELAYER_KEY: chain.accounts[1]!.privateKey,
});

/** A payment that was signed and not yet sent. */
export interface Drawn {
  readonly header: string;
  readonly authorization: Authorization;
  readonly signature: Hex;
}

/** The content of a header, which is enough to carry its payment out. */
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

/** The call that carries an authorization out. Anybody may make it. */
export const carryingOut = ({ authorization, signature }: Omit<Drawn, 'header'>): Hex => {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return encodeFunctionData({
    abi: usdcAbi,
    functionName: 'transferWithAuthorization',
    args: [from, to, value, validAfter, validBefore, nonce, signature],
  });
};

/** One call of a transaction that makes several; the token is called where nobody else is named. */
interface Batched {
  readonly target?: Address;
  readonly data: Hex;
}

/** A payer who reads the chain as well as we do, and sends to it what and when it likes. */
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

  /** Signs what a 402 of this route asks for. */
  async draw(world: World, url: string, body: object): Promise<Drawn> {
    return openPayment(await signedPayment(world, this, body, { url }));
  }

  send(world: World, url: string, body: object, { header }: Pick<Drawn, 'header'>): Promise<Answer> {
    return world.post(url, body, { 'payment-signature': header });
  }

  /** Another authorization under a nonce of its own choice. */
  async sign(fields: { to: Address; value: bigint; nonce: Hex }): Promise<Omit<Drawn, 'header'>> {
    return signAuthorization(this.privateKey, fields);
  }

  /** Lets a contract move its tokens. */
  async allow(spender: Address): Promise<void> {
    const { client } = this.chain;
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, 2n ** 200n] });
    const hash = await client.sendTransaction({ account: this.account.address, to: USDC_ADDRESS, data });
    await client.waitForTransactionReceipt({ hash });
  }

  /** Moves all it has elsewhere, before anybody else can. */
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

  /** The call by which such a contract moves them. */
  taking(to: Address, value: bigint): Hex {
    const args = [this.account.address, to, value] as const;
    return encodeFunctionData({ abi: erc20Abi, functionName: 'transferFrom', args });
  }

  /** All of it in one transaction, from an account that has nothing to do with the service; mined when it resolves. */
  async batch(calls: readonly Batched[]): Promise<void> {
    await this.mined(await this.submit(calls));
  }

  /** The same, resolved as soon as it is on its way. */
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
    // Its gas is named, because an estimate would need the state that it is sent to be in time for.
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
