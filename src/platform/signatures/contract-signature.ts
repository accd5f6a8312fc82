import {
  type Address,
  type Hex,
  type PublicClient,
  encodeDeployData,
  encodeFunctionData,
  isErc6492Signature,
  parseAbi,
  size,
  toBytes,
  universalSignatureValidatorAbi,
  universalSignatureValidatorByteCode,
} from 'viem';

const MAGIC = '0x1626ba7e';
const TRUE = 1n;
/** The gas that the validator itself needs, to unwrap the signature and to call the wallet. */
const VALIDATOR_GAS = 30_000n;
const walletAbi = parseAbi([
  'function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)',
]);

/** The gas of a creation before its code runs: for the transaction, the creation, its bytes and its words. */
const creationGas = (data: Hex): bigint => {
  const bytes = toBytes(data);
  const zeros = bytes.filter((byte) => byte === 0).length;
  const words = Math.ceil(size(data) / 32);
  return BigInt(21_000 + 32_000 + zeros * 4 + (bytes.length - zeros) * 16 + words * 2);
};

export interface ContractQuestion {
  readonly wallet: Address;
  readonly digest: Hex;
  readonly signature: Hex;
  /** The address that the wallet sees as its caller. */
  readonly sender?: Address;
  /** The limit of gas, because a stranger's code runs on our node. */
  readonly gasMax: bigint;
}

/**
 * EIP-1271: asks a wallet with code whether a signature is valid. For a wallet without code the result is false. It
 * throws the errors of the node.
 */
export const deployedWalletAccepts = async (
  client: PublicClient,
  { wallet, digest, signature, sender, gasMax }: ContractQuestion,
): Promise<boolean> => {
  const code = await client.getCode({ address: wallet });
  if (code === undefined || code === '0x') return false;
  const { data } = await client.call({
    to: wallet,
    data: encodeFunctionData({
      abi: walletAbi,
      functionName: 'isValidSignature',
      args: [digest, signature],
    }),
    gas: gasMax,
    account: sender,
  });
  return data?.startsWith(MAGIC) === true;
};

/**
 * Also supports ERC-6492: for a wallet that is not deployed yet, the call to the node simulates its creation. This
 * function checks no signatures by keys, because it would also accept their second, equivalent form.
 */
export const walletAccepts = async (client: PublicClient, question: ContractQuestion): Promise<boolean> => {
  const { wallet, digest, signature, gasMax } = question;
  if (!isErc6492Signature(signature)) return deployedWalletAccepts(client, question);
  const data = encodeDeployData({
    abi: universalSignatureValidatorAbi,
    bytecode: universalSignatureValidatorByteCode,
    args: [wallet, digest, signature],
  });
  // An outer call keeps a 64th of its gas, so the stranger's code gets this share more, to have `gasMax`.
  const gas = creationGas(data) + VALIDATOR_GAS + (gasMax * 64n) / 63n;
  const answer = await client.call({ data, gas });
  return answer.data !== undefined && BigInt(answer.data) === TRUE;
};
