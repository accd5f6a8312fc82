import { x402Facilitator } from '@x402/core/facilitator';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { toFacilitatorEvmSigner } from '@x402/evm';
import {
  BatchSettlementEvmScheme as ClientScheme,
  computeChannelId,
} from '@x402/evm/batch-settlement/client';
import { BatchSettlementEvmScheme as FacilitatorScheme } from '@x402/evm/batch-settlement/facilitator';
import {
  BatchSettlementEvmScheme as ServerScheme,
  InMemoryChannelStorage,
} from '@x402/evm/batch-settlement/server';
import { type Address, type Hex, hashTypedData, keccak256, recoverAddress, toBytes } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { USDC_ADDRESS } from '../../tools/chain/test-usdc';

const PAYEE: Address = '0x209693Bc6afc0C5328bA36FaF03C514EF312287C';
const NETWORK = 'eip155:8453';

let chain: LocalChain;
let clean: Hex;

beforeAll(async () => {
  chain = await startLocalChain();
});

beforeEach(async () => {
  clean = await chain.client.snapshot();
  await chain.usdc.mint(payer().address, 1_000_000n);
});

afterEach(() => chain.client.revert({ id: clean }));
afterAll(() => chain.stop());

const payer = () => privateKeyToAccount(chain.accounts[1]!.privateKey);
const relayer = () => privateKeyToAccount(chain.accounts[0]!.privateKey);

const requirements = (amount: string): PaymentRequirements => ({
  scheme: 'batch-settlement',
  network: NETWORK,
  amount,
  asset: USDC_ADDRESS,
  payTo: PAYEE,
  maxTimeoutSeconds: 300,
  extra: {
    name: 'USD Coin',
    version: '2',
    receiverAuthorizer: relayer().address,
    withdrawDelay: 900,
    minDeposit: '100000',
  },
});

const stockFacilitator = () => {
  const { client } = chain;
  const account = relayer();
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    getCode: (args: { address: Address }) => client.getCode(args),
    readContract: (args: never) => client.readContract(args),
    verifyTypedData: (args: never) => client.verifyTypedData(args),
    writeContract: (args: object) => client.writeContract({ ...args, account } as never),
    sendTransaction: (args: object) => client.sendTransaction({ ...args, account } as never),
    waitForTransactionReceipt: (args: never) => client.waitForTransactionReceipt(args),
  } as unknown as Parameters<typeof toFacilitatorEvmSigner>[0]);
  return new x402Facilitator().register(NETWORK, new FacilitatorScheme(signer, account));
};

const signed = async (client: ClientScheme, amount: string): Promise<PaymentPayload> => {
  const accepted = requirements(amount);
  const made = await client.createPaymentPayload(2, accepted);
  return { ...made, accepted } as PaymentPayload;
};

describe('payment channels of the local chain', () => {
  it('has the channel id and the voucher digest of the published package', async () => {
    const client = new ClientScheme(payer());
    const config = client.buildChannelConfig(requirements('1'));
    const channelId = await chain.channels.idOf(config);

    expect(channelId).toBe(computeChannelId(config, NETWORK));
    expect(await chain.channels.configTypehash()).toBe(
      keccak256(
        toBytes(
          'ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)',
        ),
      ),
    );
    expect(await chain.channels.voucherDigest(channelId, 7n)).toBe(
      hashTypedData({
        domain: {
          name: 'x402 Batch Settlement',
          version: '1',
          chainId: 8453,
          verifyingContract: chain.channels.address,
        },
        types: {
          Voucher: [
            { name: 'channelId', type: 'bytes32' },
            { name: 'maxClaimableAmount', type: 'uint128' },
          ],
        },
        primaryType: 'Voucher',
        message: { channelId, maxClaimableAmount: 7n },
      }),
    );
  });

  it('takes the deposit of the stock client, and a voucher of it recovers its signer', async () => {
    const facilitator = stockFacilitator();
    const payment = await signed(new ClientScheme(payer()), '2000');

    expect(await facilitator.verify(payment, requirements('2000'))).toMatchObject({ isValid: true });
    expect(await facilitator.settle(payment, requirements('2000'))).toMatchObject({ success: true });

    const { voucher } = payment.payload as {
      voucher: { channelId: Hex; maxClaimableAmount: string; signature: Hex };
    };
    expect(await chain.channels.state(voucher.channelId)).toEqual({
      balance: 100_000n,
      claimed: 0n,
      withdrawalSince: 0,
    });
    expect(await chain.usdc.balanceOf(payer().address)).toBe(900_000n);
    const digest = await chain.channels.voucherDigest(voucher.channelId, BigInt(voucher.maxClaimableAmount));
    expect(await recoverAddress({ hash: digest, signature: voucher.signature })).toBe(payer().address);
  });

  it('claims, pays out and refunds through the stock manager, and never above the voucher', async () => {
    const facilitator = stockFacilitator();
    const payment = await signed(new ClientScheme(payer()), '2000');
    await facilitator.settle(payment, requirements('2000'));
    const { voucher, channelConfig } = payment.payload as never as {
      voucher: { channelId: Hex; maxClaimableAmount: string; signature: Hex };
      channelConfig: Parameters<LocalChain['channels']['idOf']>[0];
    };
    const storage = new InMemoryChannelStorage();
    const scheme = new ServerScheme(PAYEE, {
      storage,
      receiverAuthorizerSigner: relayer(),
      withdrawDelay: 900,
    });
    const manager = scheme.createChannelManager(
      facilitator as unknown as Parameters<ServerScheme['createChannelManager']>[0],
      NETWORK,
    );
    const put = (charged: string) =>
      storage.updateChannel(voucher.channelId, () => ({
        channelId: voucher.channelId,
        channelConfig,
        chargedCumulativeAmount: charged,
        signedMaxClaimable: voucher.maxClaimableAmount,
        signature: voucher.signature,
        balance: '100000',
        totalClaimed: '0',
        withdrawRequestedAt: 0,
        refundNonce: 0,
        lastRequestTimestamp: Date.now(),
      }));

    await put('2001');
    await expect(manager.claim()).rejects.toThrow('claim_simulation_failed');
    await put('1500');
    await manager.claimAndSettle();
    await manager.refund([voucher.channelId]);

    expect(await chain.usdc.balanceOf(PAYEE)).toBe(1_500n);
    expect(await chain.usdc.balanceOf(payer().address)).toBe(1_000_000n - 1_500n);
    expect(await chain.channels.state(voucher.channelId)).toMatchObject({ balance: 1_500n, claimed: 1_500n });
  });

  it('pays a withdrawal only after its delay, and nothing of what was claimed', async () => {
    const facilitator = stockFacilitator();
    const payment = await signed(new ClientScheme(payer()), '2000');
    await facilitator.settle(payment, requirements('2000'));
    const { channelConfig } = payment.payload as never as {
      channelConfig: Parameters<LocalChain['channels']['idOf']>[0];
    };
    const key = chain.accounts[1]!.privateKey;

    await chain.channels.initiateWithdraw(key, channelConfig, 100_000n);
    await expect(chain.channels.finalizeWithdraw(key, channelConfig)).rejects.toThrow('reverted');
    await chain.client.increaseTime({ seconds: 901 });
    await chain.client.mine({ blocks: 1 });
    await chain.channels.finalizeWithdraw(key, channelConfig);

    expect(await chain.usdc.balanceOf(payer().address)).toBe(1_000_000n);
  });
});
