import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { type RpcFaultProxy, startRpcFaultProxy } from '../../tools/chain/rpc-fault-proxy';
import { signedPayment } from '../contract/rail-callers';
import { WalletCaller } from '../support/caller';
import { carryOutOn } from '../support/carry-out';
import { expectEventually } from '../support/eventually';
import { type FakeFacilitator, startFakeFacilitator } from '../support/fake-facilitator';
import { cloneDatabase } from '../support/postgres';
import type { Answer } from '../support/world';
import { Deployment } from './deployment';
import { type Goods, MONEY, PayingClient, chatOf, payerIn } from './paying-client';

const PAY_TO = '0x209693bc6afc0c5328ba36faf03c514ef312287c';
const SHORT = chatOf('Say something short.');
const SLOW = chatOf('Take your time. [[delay 1s]]');
/** One process settles by itself, and the other lets a facilitator settle. */
const [BY_ITSELF, BY_FACILITATOR] = [0, 1];

jest.setTimeout(120_000);

describe('a payment whose chain or facilitator breaks', () => {
  let chain: LocalChain;
  let rpc: RpcFaultProxy;
  let facilitator: FakeFacilitator;
  let deployment: Deployment;
  /**
   * The service waits 20 seconds for a facilitator that takes the money and does not answer. The other tests run
   * meanwhile.
   */
  let silenced: { readonly client: PayingClient; readonly answer: Promise<Answer | undefined> };

  const clientWith = async (goods: Goods): Promise<PayingClient> => {
    const wallet = new WalletCaller();
    await chain.usdc.mint(wallet.account.address, MONEY);
    const world = deployment.asWorld();
    const caller = {
      payer: wallet.wallet,
      left: () => chain.usdc.balanceOf(wallet.account.address),
      credential: async (body: object) => ({ 'payment-signature': await signedPayment(world, wallet, body) }),
    };
    return PayingClient.of(deployment, 'x402', caller, goods);
  };
  const until = (client: PayingClient, state: string): Promise<void> =>
    expectEventually(async () => (await client.states()).join() === state);

  /** The client repeats the call until it is answered. Its one payment must have bought one answer. */
  const expectPaidOnce = async (client: PayingClient, place: number): Promise<Answer> => {
    const answer = await client.sendUntilAnswered(place);
    await client.expectPaidOnce();
    expect(await chain.usdc.transferEvents({ from: client.caller.payer as `0x${string}` })).toHaveLength(1);
    return answer;
  };

  beforeAll(async () => {
    chain = await startLocalChain();
    rpc = await startRpcFaultProxy(chain.rpcUrl);
    facilitator = await startFakeFacilitator((payment) =>
      carryOutOn(chain, deployment.asWorld().settings.x402, payment),
    );
    const paid = { X402_PAY_TO: PAY_TO };
    deployment = await Deployment.start(await cloneDatabase(), [
      {
        ...paid,
        X402_FACILITATOR: 'local',
        X402_RPC_URL: rpc.url,
        X402_RELAYER_KEY: chain.accounts[1]!.privateKey,
      },
      {
        ...paid,
        X402_FACILITATOR: 'http',
        X402_FACILITATOR_URL: facilitator.url,
        X402_RPC_URL: chain.rpcUrl,
      },
    ]);
    facilitator.fail('settle', { kind: 'moves-then-hangs' }, 1);
    const client = await clientWith(SHORT);
    silenced = { client, answer: client.send(BY_FACILITATOR) };
    await expectEventually(() => facilitator.moved.size === 1);
  });

  afterEach(() => {
    rpc.reset();
    return chain.resumeMining();
  });

  afterAll(async () => {
    await deployment.stop();
    await facilitator.stop();
    await rpc.stop();
    await chain.stop();
  });

  it('the reply to the broadcast is lost', async () => {
    const client = await clientWith(SHORT);
    rpc.fail('eth_sendRawTransaction', 'drop-reply', 1);

    await client.send(BY_ITSELF);

    await expectPaidOnce(client, BY_ITSELF);
  });

  it('the node goes while the provider works, and comes back', async () => {
    const client = await clientWith(SLOW);
    const first = client.send(BY_ITSELF);
    await until(client, 'held');
    rpc.fail('*', 'down');

    const answer = await first;
    const meanwhile = await client.states();
    rpc.reset();
    const last = await expectPaidOnce(client, BY_ITSELF);

    expect([answer?.status, answer?.body.error.code]).toEqual([503, 'SETTLEMENT_PENDING']);
    expect(answer?.headers['payment-required']).toBeUndefined();
    expect(meanwhile).toEqual(['settling']);
    expect(last.headers['idempotent-replayed']).toBe('true');
  });

  it('the node is gone before anything was claimed', async () => {
    const client = await clientWith(SHORT);
    rpc.fail('*', 'down');

    const answer = await client.send(BY_ITSELF);
    const meanwhile = await client.states();
    rpc.reset();

    expect([answer?.status, answer?.body.error.code, meanwhile]).toEqual([503, 'PAYMENT_UNAVAILABLE', []]);
    await expectPaidOnce(client, BY_ITSELF);
  });

  it('the process is killed when its transaction waits for a block', async () => {
    const client = await clientWith(SHORT);
    await chain.pauseMining();
    const first = client.send(BY_ITSELF);
    await expectEventually(() => rpc.calls('eth_sendRawTransaction') > 0);

    await deployment.kill(BY_ITSELF);
    await first;
    await chain.resumeMining();
    await deployment.endLeases(payerIn(client.caller));
    const last = await expectPaidOnce(client, BY_FACILITATOR);

    expect(last.headers['idempotent-replayed']).toBe('true');
  });

  it('the process is killed when its transaction is on the way to the node, and never gets there', async () => {
    const client = await clientWith(SHORT);
    rpc.fail('eth_sendRawTransaction', 'hang');
    const first = client.send(BY_ITSELF);
    await expectEventually(() => rpc.calls('eth_sendRawTransaction') > 0);

    await deployment.kill(BY_ITSELF);
    await first;
    await deployment.endLeases(payerIn(client.caller));

    await expectPaidOnce(client, BY_FACILITATOR);
  });

  it('the facilitator moves the money and breaks the connection', async () => {
    const client = await clientWith(SHORT);
    facilitator.fail('settle', { kind: 'moves-then-cuts' }, 1);

    const answer = await client.send(BY_FACILITATOR);

    expect(answer?.status).toBe(200);
    await expectPaidOnce(client, BY_FACILITATOR);
  });

  it('the facilitator says no, and moves the money', async () => {
    const client = await clientWith(SHORT);
    const answer = { success: false, errorReason: 'transaction_failed', transaction: '' };
    facilitator.fail('settle', { kind: 'says', moves: true, answer }, 1);

    const first = await client.send(BY_FACILITATOR);

    expect(first?.status).toBe(200);
    await expectPaidOnce(client, BY_FACILITATOR);
  });

  it('the facilitator moves the money and never answers', async () => {
    const answer = await silenced.answer;

    expect([200, 503]).toContain(answer?.status);
    await expectPaidOnce(silenced.client, BY_FACILITATOR);
    await deployment.expectPeace();
  });

  describe('that the chain took, and forgets', () => {
    let client: PayingClient;
    let first: string | undefined;

    const paymentOf = async () => {
      const [row] = await deployment.db.rows<{
        readonly tx_hash: string;
        readonly lost: boolean;
        readonly watched: boolean;
        readonly signed: boolean;
      }>(
        `select tx_hash, lost_at is not null as lost, watch_at is not null as watched, signature is not null as signed
         from x402_payment where payer = $1`,
        [payerIn(client.caller)],
      );
      return row!;
    };
    const lookNow = () =>
      deployment.db.rows(
        'update x402_payment set watch_at = now() where payer = $1 and watch_at is not null',
        [payerIn(client.caller)],
      );

    beforeEach(async () => {
      client = await clientWith(SHORT);
      expect((await client.send(BY_ITSELF))?.status).toBe(200);
      first = (await paymentOf()).tx_hash;
      expect(await client.caller.left()).toBe(MONEY - SHORT.price);
      const [, { address }] = chain.accounts as [unknown, { address: `0x${string}` }];
      const nonce = await chain.client.getTransactionCount({ address });
      await chain.forget(1);
      // The relayer has sent other transactions meanwhile, and these stay valid.
      await chain.client.setNonce({ address, nonce });
      expect(await client.caller.left()).toBe(MONEY);
    });

    it('is brought again while its signature lasts, and then watched until it is final', async () => {
      await lookNow();
      await expectEventually(async () => (await paymentOf()).tx_hash !== first);
      const young = await paymentOf();
      expect(await client.caller.left()).toBe(MONEY - SHORT.price);

      await chain.mine(100);
      await lookNow();
      await expectEventually(async () => !(await paymentOf()).watched);

      expect(young).toMatchObject({ lost: false, watched: true, signed: true });
      expect(await paymentOf()).toEqual({ ...young, watched: false, signed: false });
      await expectPaidOnce(client, BY_ITSELF);
    });

    it('is our loss when it cannot come any more: nothing moves, and operators are alerted', async () => {
      await chain.client.increaseTime({ seconds: 2 * 86_400 });
      await chain.mine(100);
      await lookNow();

      await expectEventually(async () => (await paymentOf()).lost);

      expect(await paymentOf()).toMatchObject({ watched: false, signed: false });
      expect(await client.states()).toEqual(['charged']);
      expect((await client.send(BY_ITSELF))?.headers['idempotent-replayed']).toBe('true');
      const reported = await Promise.all(
        [BY_ITSELF, BY_FACILITATOR].map(
          async (place) =>
            /^lamppost_x402_lost_micro_usd_total (\d+)$/m.exec(await deployment.metrics(place))?.[1],
        ),
      );
      expect(reported).toContain('2000');
    });
  });
});
