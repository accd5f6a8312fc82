import {
  type Address,
  type BaseError,
  ContractFunctionRevertedError,
  type Hex,
  encodeAbiParameters,
  keccak256,
  parseAbiParameters,
  parseSignature,
  toHex,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import {
  type Authorization,
  type AuthorizationFields,
  USDC_ADDRESS,
  signAuthorization,
  usdcAbi,
} from '../../tools/chain/test-usdc';

const usdc = { address: USDC_ADDRESS, abi: usdcAbi };
const PAYEE: Address = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const NONCE = toHex(7n, { size: 32 });

let chain: LocalChain;
let relayer: ReturnType<typeof privateKeyToAccount>;
let payer: LocalChain['accounts'][number];
let clean: Hex;

beforeAll(async () => {
  chain = await startLocalChain();
  relayer = privateKeyToAccount(chain.accounts[0]!.privateKey);
  payer = chain.accounts[1]!;
  await chain.usdc.mint(payer.address, 1_000_000n);
});

beforeEach(async () => {
  clean = await chain.client.snapshot();
});

afterEach(() => chain.client.revert({ id: clean }));

afterAll(() => chain.stop());

const fieldsOf = (signed: Authorization) =>
  [signed.from, signed.to, signed.value, signed.validAfter, signed.validBefore, signed.nonce] as const;

type Signed = Awaited<ReturnType<typeof signAuthorization>>;

const callWithBytes = ({ authorization, signature }: Signed) => ({
  ...usdc,
  functionName: 'transferWithAuthorization' as const,
  args: [...fieldsOf(authorization), signature] as const,
  account: relayer,
});

const callWithParts = ({ authorization, signature }: Signed) => {
  const { r, s, v = 0n } = parseSignature(signature);
  return {
    ...usdc,
    functionName: 'transferWithAuthorization' as const,
    args: [...fieldsOf(authorization), Number(v), r, s] as const,
    account: relayer,
  };
};

const sign = (fields: Partial<AuthorizationFields> = {}): Promise<Signed> =>
  signAuthorization(payer.privateKey, { to: PAYEE, value: 4_555n, ...fields });

const pay = async (signed: Signed): Promise<void> => {
  const hash = await chain.client.writeContract(callWithBytes(signed));
  await chain.client.waitForTransactionReceipt({ hash });
};

/** The error message of the token, or 'accepted'. */
const answerTo = async (signed: Signed): Promise<string | undefined> => {
  try {
    await chain.client.simulateContract(callWithBytes(signed));
    return 'accepted';
  } catch (error) {
    const revert = (error as BaseError).walk((cause) => cause instanceof ContractFunctionRevertedError);
    return (revert as ContractFunctionRevertedError).reason;
  }
};

const withLastByte = (signature: Hex, v: number): Hex =>
  `${signature.slice(0, -2)}${toHex(v, { size: 1 }).slice(2)}` as Hex;

describe('the test USDC', () => {
  it('has the domain separator of USDC on Base, so that real wallets sign for it', async () => {
    const separator = await chain.client.readContract({ ...usdc, functionName: 'DOMAIN_SEPARATOR' });

    expect(separator).toBe('0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f');
  });

  it.each(['bytes', 'v, r and s'])('moves exactly the signed amount, signature as %s', async (form) => {
    const signed = await sign();

    const hash = await (form === 'bytes'
      ? chain.client.writeContract(callWithBytes(signed))
      : chain.client.writeContract(callWithParts(signed)));
    const receipt = await chain.client.waitForTransactionReceipt({ hash });

    expect(await chain.usdc.balanceOf(payer.address)).toBe(995_445n);
    expect(await chain.usdc.balanceOf(PAYEE)).toBe(4_555n);
    expect(await chain.usdc.authorizationState(payer.address, signed.authorization.nonce)).toBe(true);
    expect(await chain.usdc.transferEvents({ to: PAYEE })).toEqual([
      { from: payer.address, to: PAYEE, value: 4_555n, transaction: hash, block: receipt.blockNumber },
    ]);
  });

  it.each<[string, Partial<AuthorizationFields>, string]>([
    ['expired', { validBefore: 1n }, 'FiatTokenV2: authorization is expired'],
    ['not yet valid', { validAfter: 9_999_999_999n }, 'FiatTokenV2: authorization is not yet valid'],
    ['above the balance', { value: 1_000_001n }, 'ERC20: transfer amount exceeds balance'],
    ['by another wallet', { from: PAYEE }, 'FiatTokenV2: invalid signature'],
    ['to nobody', { to: toHex(0n, { size: 20 }) }, 'ERC20: transfer to the zero address'],
  ])('refuses an authorization that is %s', async (_, fields, words) => {
    const signed = await sign(fields);

    expect(await answerTo(signed)).toBe(words);
  });

  it('refuses an authorization a second time', async () => {
    const signed = await sign();
    await pay(signed);

    expect(await answerTo(signed)).toBe('FiatTokenV2: authorization is used or canceled');
  });

  it('refuses everything while paused', async () => {
    const signed = await sign();
    await chain.usdc.pause();

    expect(await answerTo(signed)).toBe('Pausable: paused');

    await chain.usdc.unpause();
    expect(await answerTo(signed)).toBe('accepted');
  });

  it.each(['payer', 'payee'])('refuses a blacklisted %s and keeps its balance', async (who) => {
    const signed = await sign();
    await chain.usdc.blacklist(who === 'payer' ? payer.address : PAYEE);

    expect(await answerTo(signed)).toBe('Blacklistable: account is blacklisted');
    expect(await chain.usdc.balanceOf(payer.address)).toBe(1_000_000n);
  });

  it('keeps balances in slot 9 with the blacklist in the top bit', async () => {
    await chain.usdc.blacklist(payer.address);

    const slot = keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [payer.address, 9n]));
    const word = await chain.client.getStorageAt({ address: USDC_ADDRESS, slot });

    expect(word).toBe('0x80000000000000000000000000000000000000000000000000000000000f4240');
  });

  it.each([0, 1])('refuses v %i, which other code recovers happily', async (v) => {
    const signed = await sign();
    const signature = withLastByte(signed.signature, v);

    expect(await answerTo({ ...signed, signature })).toBe("ECRecover: invalid signature 'v' value");
  });

  it('refuses the twin of a signature in the upper half', async () => {
    const signed = await sign();
    const { r, s, yParity } = parseSignature(signed.signature);
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
    const twin = toHex(order - BigInt(s), { size: 32 });
    const signature = `${r}${twin.slice(2)}${yParity === 0 ? '1c' : '1b'}` as Hex;

    expect(await answerTo({ ...signed, signature })).toBe("ECRecover: invalid signature 's' value");
  });

  it('refuses a signature of the wrong length', async () => {
    const signed = await sign();

    expect(await answerTo({ ...signed, signature: '0x1234' })).toBe('ECRecover: invalid signature length');
  });

  it('spends a cancelled authorization without paying it', async () => {
    const signed = await sign({ nonce: NONCE });
    await chain.usdc.cancelAuthorization(payer.privateKey, NONCE);

    expect(await chain.usdc.authorizationState(payer.address, NONCE)).toBe(true);
    expect(await answerTo(signed)).toBe('FiatTokenV2: authorization is used or canceled');
    expect(await chain.usdc.transferEvents({ to: PAYEE })).toEqual([]);
    const events = { ...usdc, args: { authorizer: payer.address, nonce: NONCE }, fromBlock: 0n } as const;
    const canceled = await chain.client.getContractEvents({ ...events, eventName: 'AuthorizationCanceled' });
    const used = await chain.client.getContractEvents({ ...events, eventName: 'AuthorizationUsed' });
    expect([canceled.length, used.length]).toEqual([1, 0]);
  });
});
