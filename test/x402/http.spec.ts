import { Registry } from 'prom-client';

import { Chain } from '#money/billing/rails/x402/facilitators/chain';
import { HttpFacilitator } from '#money/billing/rails/x402/facilitators/http-facilitator';
import { LocalFacilitator } from '#money/billing/rails/x402/facilitators/local-facilitator';
import type { makeFacilitator } from '#money/billing/rails/x402/facilitators/make-facilitator';
import { micro } from '#kernel/money';
import { type WalletAddress, parseWallet } from '#kernel/wallet-address';
import { X402Metrics } from '#money/billing/rails/x402/x402.metrics';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { type RpcFaultProxy, startRpcFaultProxy } from '../../tools/chain/rpc-fault-proxy';
import {
  type FacilitatorFault,
  type FakeFacilitator,
  startFakeFacilitator,
} from '../support/fake-facilitator';
import { cloneDatabase } from '../support/postgres';
import { type Hex, X402World, newWallet, refusalOf } from './x402-world';

const PAY_TO = '0x209693bc6afc0c5328ba36faf03c514ef312287c';
const TRANSACTION = `0x${'ab'.repeat(32)}`;
const OTHER_PAYER = '0x00000000000000000000000000000000000000aa';
const SHORT = { verify: 300, settle: 300, supported: 300 };

const shortly: typeof makeFacilitator = ({ settings }) =>
  new HttpFacilitator(
    { ...settings.x402, facilitatorHeaders: { authorization: 'Bearer facilitator-key' } },
    SHORT,
  );

describe('paying by call through a facilitator elsewhere', () => {
  describe('without a node of our own', () => {
    let facilitator: FakeFacilitator;
    let ours: X402World;

    beforeAll(async () => {
      facilitator = await startFakeFacilitator();
      ours = await X402World.open(
        await cloneDatabase(),
        { X402_FACILITATOR: 'http', X402_FACILITATOR_URL: facilitator.url, X402_PAY_TO: PAY_TO },
        shortly,
      );
    });

    afterEach(async () => {
      facilitator.reset();
      await ours.expectBooks();
    });

    afterAll(async () => {
      await ours.stop();
      await facilitator.stop();
    });

    it('shows it the plain requirement and our key, and nothing that the client wrote around the signature', async () => {
      const { settlement } = await ours.buy(await ours.pay(newWallet()));

      const call = facilitator.calls.at(-1)!;
      expect(settlement.outcome).toBe('charged');
      expect(call.headers.authorization).toBe('Bearer facilitator-key');
      expect(call.body.paymentRequirements.extra).toEqual({ name: 'USD Coin', version: '2' });
      expect(Object.keys(call.body.paymentPayload).sort()).toEqual(['accepted', 'payload', 'x402Version']);
    });

    it.each<[string, FacilitatorFault]>([
      ['an HTML page', { kind: 'html' }],
      ['an empty object', { kind: 'empty' }],
      ['a list', { kind: 'array' }],
      ['nothing in time', { kind: 'hang' }],
      ['a cut connection', { kind: 'cut' }],
      ['no entry', { kind: 'forbidden' }],
      ['too much', { kind: 'flood' }],
      ['that it is valid for somebody else', { kind: 'says', answer: { isValid: true, payer: OTHER_PAYER } }],
      [
        'that a signature we have checked is bad',
        { kind: 'says', answer: { isValid: false, invalidReason: 'invalid_exact_evm_signature' } },
      ],
    ])('answers 503 and claims nothing when verifying gets %s', async (_, fault) => {
      const header = await ours.pay(newWallet());
      facilitator.fail('verify', fault, 1);

      const refusal = await refusalOf(ours.hold(header));
      const { settlement } = await ours.buy(header);

      expect(refusal.code).toBe('PAYMENT_UNAVAILABLE');
      expect(JSON.stringify([refusal.message, refusal.extras])).not.toMatch(/secret/);
      expect(settlement.outcome).toBe('charged');
    });

    it('answers 402 when the buyer has too little', async () => {
      const header = await ours.pay(newWallet());
      const answer = {
        isValid: false,
        invalidReason: 'insufficient_funds',
        invalidMessage: 'at secret-host',
      };
      facilitator.fail('verify', { kind: 'says', answer, status: 400 }, 1);

      const refusal = await refusalOf(ours.hold(header));

      expect(refusal.code).toBe('INSUFFICIENT_FUNDS');
      expect(JSON.stringify([refusal.message, refusal.extras])).not.toMatch(/secret/);
    });

    it.each<[string, FacilitatorFault]>([
      ['an HTML page', { kind: 'html' }],
      ['an empty object', { kind: 'empty' }],
      ['nothing in time', { kind: 'hang' }],
      ['a cut connection', { kind: 'cut' }],
      ['no entry', { kind: 'forbidden' }],
      [
        'another payer',
        {
          kind: 'says',
          answer: { success: true, transaction: TRANSACTION, network: 'eip155:8453', payer: OTHER_PAYER },
        },
      ],
      [
        'another network',
        { kind: 'says', answer: { success: true, transaction: TRANSACTION, network: 'eip155:1' } },
      ],
      [
        'another amount',
        {
          kind: 'says',
          answer: { success: true, transaction: TRANSACTION, network: 'eip155:8453', amount: '1' },
        },
      ],
      [
        'success without a transaction',
        { kind: 'says', answer: { success: true, transaction: '', network: 'eip155:8453' } },
      ],
      [
        'that it is pending',
        {
          kind: 'says',
          answer: {
            success: false,
            errorReason: 'settlement_pending',
            transaction: TRANSACTION,
            network: 'eip155:8453',
          },
        },
      ],
      [
        'that the nonce is used',
        {
          kind: 'says',
          answer: {
            success: false,
            errorReason: 'nonce_already_used',
            transaction: '',
            network: 'eip155:8453',
          },
        },
      ],
      [
        'that a signature we have checked is bad',
        { kind: 'says', answer: { success: false, errorReason: 'invalid_signature', transaction: '' } },
      ],
    ])('never guesses when settling gets %s, and charges once it knows', async (_, fault) => {
      const { call, draft } = await ours.hold(await ours.pay(newWallet()));
      facilitator.fail('settle', fault, 1);

      const settlement = await ours.settle(call, draft);
      const meanwhile = await ours.stateOf(draft.id);
      await ours.sweep();

      expect([settlement.outcome, meanwhile, await ours.stateOf(draft.id)]).toEqual([
        'unknown',
        'settling',
        'charged',
      ]);
    });

    it('stays in doubt when the money moved, the answer was lost and nobody else can say', async () => {
      const { call, draft } = await ours.hold(await ours.pay(newWallet()));
      facilitator.fail('settle', { kind: 'moves-then-cuts' }, 1);

      const settlement = await ours.settle(call, draft);
      await ours.sweep();

      expect(settlement.outcome).toBe('unknown');
      expect(await ours.stateOf(draft.id)).toBe('settling');
    });

    it('releases what a first attempt certainly did not take', async () => {
      const wallet = newWallet();
      const { call, draft } = await ours.hold(await ours.pay(wallet));
      const answer = {
        success: false,
        errorReason: 'insufficient_funds',
        transaction: '',
        network: 'eip155:8453',
      };
      facilitator.fail('settle', { kind: 'says', answer }, 1);

      const settlement = await ours.settle(call, draft);

      expect(settlement.outcome).toBe('failed');
      expect(await ours.payerRow(wallet)).toMatchObject({ open: 0n, strikes: 1 });
    });

    it('reports its health', async () => {
      expect(await ours.facilitator.state()).toBe('ok');
    });
  });

  describe('with a node of our own', () => {
    let chain: LocalChain;
    let proxy: RpcFaultProxy;
    let facilitator: FakeFacilitator;
    let ours: X402World;

    const held = async () => {
      const wallet = newWallet();
      await chain.usdc.mint(wallet.address, 10_000n);
      const { call, draft } = await ours.hold(await ours.pay(wallet));
      return { wallet, call, draft };
    };

    beforeAll(async () => {
      chain = await startLocalChain();
      proxy = await startRpcFaultProxy(chain.rpcUrl);
      let mover: LocalFacilitator | undefined;
      facilitator = await startFakeFacilitator(async ({ paymentPayload: { payload } }) => {
        const { from, to, value, nonce, validBefore } = payload.authorization;
        const settled = await mover!.settle({
          network: 'eip155:8453',
          asset: ours.settings.x402.asset,
          payer: parseWallet(from)!,
          payTo: to.toLowerCase() as WalletAddress,
          amount: micro(BigInt(value)),
          validAfter: 0n,
          validBefore: BigInt(validBefore),
          nonce: nonce as Hex,
          signature: payload.signature as Hex,
          chargeId: 'elsewhere',
          settleAttempts: 1,
        });
        return settled.outcome === 'settled' ? settled.transaction : '';
      });
      ours = await X402World.open(
        await cloneDatabase(),
        {
          X402_FACILITATOR: 'http',
          X402_FACILITATOR_URL: facilitator.url,
          X402_PAY_TO: PAY_TO,
          X402_RPC_URL: proxy.url,
        },
        shortly,
      );
      const settings = {
        ...ours.settings.x402,
        rpcUrls: [chain.rpcUrl],
        relayerKey: chain.accounts[1]!.privateKey,
      };
      mover = new LocalFacilitator(settings, new X402Metrics(new Registry()));
    });

    afterEach(async () => {
      facilitator.reset();
      proxy.reset();
      await ours.expectBooks();
    });

    afterAll(async () => {
      await ours.stop();
      await facilitator.stop();
      await proxy.stop();
      await chain.stop();
    });

    it.each<[string, FacilitatorFault]>([
      ['hangs', { kind: 'moves-then-hangs' }],
      ['cuts the connection', { kind: 'moves-then-cuts' }],
      [
        'says that it failed',
        {
          kind: 'says',
          moves: true,
          answer: {
            success: false,
            errorReason: 'transaction_failed',
            transaction: '',
            network: 'eip155:8453',
          },
        },
      ],
    ])('charges by the chain when the money moved and the facilitator %s', async (_, fault) => {
      const { wallet, call, draft } = await held();
      facilitator.fail('settle', fault, 1);

      const settlement = await ours.settle(call, draft);

      expect(settlement.outcome).toBe('charged');
      expect(await chain.usdc.balanceOf(wallet.address)).toBe(0n);
      expect((await ours.rail.transferOf(draft.id))?.transaction).toBe(
        (await chain.usdc.transferEvents({ from: wallet.address }))[0]?.transaction,
      );
    });

    it('believes no success that the chain does not show', async () => {
      const { call, draft } = await held();
      const answer = { success: true, transaction: TRANSACTION, network: 'eip155:8453' };
      facilitator.fail('settle', { kind: 'says', answer }, 1);

      const settlement = await ours.settle(call, draft);
      const meanwhile = await ours.stateOf(draft.id);
      await ours.sweep();

      expect(settlement.outcome).toBe('unknown');
      expect([meanwhile, await ours.stateOf(draft.id)]).toEqual(['settling', 'charged']);
      expect((await ours.rail.transferOf(draft.id))?.transaction).not.toBe(TRANSACTION);
    });

    it('waits for the node when both the answer and the node are gone', async () => {
      const { call, draft } = await held();
      facilitator.fail('settle', { kind: 'moves-then-cuts' }, 1);
      proxy.fail('*', 'down');

      const settlement = await ours.settle(call, draft);
      proxy.reset();
      await ours.sweep();

      expect(settlement.outcome).toBe('unknown');
      expect(await ours.stateOf(draft.id)).toBe('charged');
      expect(facilitator.calls.filter(({ path }) => path === 'settle').length).toBeGreaterThan(0);
    });

    it('gives up a payment only when the chain shows that it can never come', async () => {
      const { wallet, call, draft } = await held();
      facilitator.fail('settle', { kind: 'cut' });
      await ours.settle(call, draft);
      await ours.sweep();
      const doubtful = await ours.stateOf(draft.id);
      const { nonce } = (await ours.payments.find(draft.id))!;
      await chain.usdc.cancelAuthorization(wallet.key, nonce);

      await ours.sweep();

      expect([doubtful, await ours.stateOf(draft.id)]).toEqual(['settling', 'released']);
      expect((await ours.payerRow(wallet)).strikes).toBe(1);
    });

    it('knows when the node is of another chain', async () => {
      const strange = new Chain({ ...ours.settings.x402, chainId: 1, rpcUrls: [chain.rpcUrl] });

      expect(await strange.isOurs()).toBe(false);
    });
  });
});
