import { type Address, concatHex, encodeAbiParameters, parseAbi } from 'viem';

import { compiledContract } from '../../tools/chain/compile';
import type { LocalChain } from '../../tools/chain/local-chain';

/** In the order of `HostileWallet.sol`. */
const TEMPERS = [
  'Burning',
  'Origin',
  'Price',
  'Sender',
  'Switched',
  'Hungry',
  'Picky',
  'Fickle',
  'Greedy',
] as const;
export type Temper = (typeof TEMPERS)[number];

/** Deploys a contract wallet that behaves in this way. `burn` is the gas that it burns, or the address for `Picky`. */
export const hostileWallet = async (chain: LocalChain, temper: Temper, burn = 0n): Promise<Address> => {
  const data = concatHex([
    compiledContract('HostileWallet').creationCode,
    encodeAbiParameters([{ type: 'uint8' }, { type: 'uint256' }], [TEMPERS.indexOf(temper), burn]),
  ]);
  const hash = await chain.client.sendTransaction({ account: chain.accounts[3]!.address, data });
  return (await chain.client.waitForTransactionReceipt({ hash })).contractAddress!;
};

/** From now on the wallet does what its temper says. */
export const turnWallet = async (chain: LocalChain, wallet: Address): Promise<void> => {
  const hash = await chain.client.writeContract({
    address: wallet,
    abi: parseAbi(['function turn()']),
    functionName: 'turn',
    account: chain.accounts[3]!.address,
  } as unknown as Parameters<LocalChain['client']['writeContract']>[0]);
  await chain.client.waitForTransactionReceipt({ hash });
};
