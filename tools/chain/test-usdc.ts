import { randomBytes } from 'node:crypto';
import { type Address, type Hash, type Hex, encodeFunctionData, parseAbi, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { CHAIN_ID } from './anvil-process';
import type { LocalClient } from './local-client';
import type { Operator } from './operator';

/** The address of USDC on Base, and of the test token here. */
export const USDC_ADDRESS: Address = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';

export const usdcAbi = parseAbi([
  'function mint(address to, uint256 amount) returns (bool)',
  'function pause()',
  'function unpause()',
  'function blacklist(address account)',
  'function unBlacklist(address account)',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function balanceOf(address account) view returns (uint256)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
]);

const usdc = { address: USDC_ADDRESS, abi: usdcAbi };
const usdcDomain = { name: 'USD Coin', version: '2', chainId: CHAIN_ID, verifyingContract: USDC_ADDRESS };

const authorizationTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const;

export interface Authorization {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

export type AuthorizationFields = Pick<Authorization, 'to' | 'value'> & Partial<Authorization>;

/** Signs a transfer with a wallet. It is valid from now on for an hour, or for the times in the fields. */
export const signAuthorization = async (
  privateKey: Hex,
  fields: AuthorizationFields,
): Promise<{ authorization: Authorization; signature: Hex }> => {
  const account = privateKeyToAccount(privateKey);
  const authorization: Authorization = {
    from: account.address,
    validAfter: 0n,
    validBefore: BigInt(Math.floor(Date.now() / 1_000) + 3_600),
    nonce: toHex(randomBytes(32)),
    ...fields,
  };
  const signature = await account.signTypedData({
    domain: usdcDomain,
    types: authorizationTypes,
    primaryType: 'TransferWithAuthorization',
    message: authorization,
  });
  return { authorization, signature };
};

export interface TransferEvent {
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  readonly transaction: Hash;
  readonly block: bigint;
}

/** Changes and reads the token for tests. Every change is in a block when its promise resolves. */
export class TestUsdc {
  readonly address = USDC_ADDRESS;

  constructor(
    private readonly client: LocalClient,
    private readonly operator: Operator,
  ) {}

  mint(to: Address, amountMicro: bigint): Promise<Hash> {
    return this.send(encodeFunctionData({ abi: usdcAbi, functionName: 'mint', args: [to, amountMicro] }));
  }

  pause(): Promise<Hash> {
    return this.send(encodeFunctionData({ abi: usdcAbi, functionName: 'pause' }));
  }

  unpause(): Promise<Hash> {
    return this.send(encodeFunctionData({ abi: usdcAbi, functionName: 'unpause' }));
  }

  blacklist(account: Address): Promise<Hash> {
    return this.send(encodeFunctionData({ abi: usdcAbi, functionName: 'blacklist', args: [account] }));
  }

  unBlacklist(account: Address): Promise<Hash> {
    return this.send(encodeFunctionData({ abi: usdcAbi, functionName: 'unBlacklist', args: [account] }));
  }

  /** Signs the cancellation with the payer’s key and sends it at our cost. */
  async cancelAuthorization(privateKey: Hex, nonce: Hex): Promise<Hash> {
    const account = privateKeyToAccount(privateKey);
    const signature = await account.signTypedData({
      domain: usdcDomain,
      types: authorizationTypes,
      primaryType: 'CancelAuthorization',
      message: { authorizer: account.address, nonce },
    });
    const args = [account.address, nonce, signature] as const;
    return this.send(encodeFunctionData({ abi: usdcAbi, functionName: 'cancelAuthorization', args }));
  }

  balanceOf(account: Address): Promise<bigint> {
    return this.client.readContract({ ...usdc, functionName: 'balanceOf', args: [account] });
  }

  /** True if the authorization was used or cancelled. Because of the second case, it proves no payment. */
  authorizationState(authorizer: Address, nonce: Hex): Promise<boolean> {
    return this.client.readContract({
      ...usdc,
      functionName: 'authorizationState',
      args: [authorizer, nonce],
    });
  }

  /** The transfers, the oldest first. A mint is a transfer from the zero address. */
  async transferEvents(
    filter: { from?: Address; to?: Address; fromBlock?: bigint } = {},
  ): Promise<TransferEvent[]> {
    const { fromBlock = 0n, ...args } = filter;
    const query = { ...usdc, eventName: 'Transfer', strict: true, args, fromBlock } as const;
    const logs = await this.client.getContractEvents(query);
    return logs.map((log) => ({ ...log.args, transaction: log.transactionHash, block: log.blockNumber }));
  }

  private send(data: Hex): Promise<Hash> {
    return this.operator.send({ to: USDC_ADDRESS, data });
  }
}
