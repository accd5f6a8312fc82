import {
  type Address,
  type Hash,
  type Hex,
  encodeFunctionData,
  parseAbi,
  serializeErc6492Signature,
  zeroHash,
} from 'viem';
import type { LocalClient } from './local-client';
import type { Operator } from './operator';

const factoryAbi = parseAbi([
  'function deploy(address owner, bytes32 salt) returns (address)',
  'function addressOf(address owner, bytes32 salt) view returns (address)',
]);

/** Contract wallets with one owner each. The address of a wallet is known before its deployment. */
export class SmartWallets {
  constructor(
    readonly factory: Address,
    private readonly client: LocalClient,
    private readonly operator: Operator,
  ) {}

  addressOf(owner: Address, salt: Hex = zeroHash): Promise<Address> {
    const call = { address: this.factory, abi: factoryAbi, functionName: 'addressOf' } as const;
    return this.client.readContract({ ...call, args: [owner, salt] });
  }

  deploy(owner: Address, salt: Hex = zeroHash): Promise<Hash> {
    return this.operator.send({ to: this.factory, data: this.deployment(owner, salt) });
  }

  /** The owner’s signature in the form for a wallet that may not be deployed yet (ERC-6492). */
  wrap(owner: Address, signature: Hex, salt: Hex = zeroHash): Hex {
    const data = this.deployment(owner, salt);
    return serializeErc6492Signature({ address: this.factory, data, signature });
  }

  private deployment(owner: Address, salt: Hex): Hex {
    return encodeFunctionData({ abi: factoryAbi, functionName: 'deploy', args: [owner, salt] });
  }
}
