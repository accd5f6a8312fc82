import { expectEventually } from '../support/eventually';
import { ChannelCaller } from '../support/channel-caller';
import { World } from '../support/world';
import { type RpcFaultProxy, startRpcFaultProxy } from '../../tools/chain/rpc-fault-proxy';
import { encodeHeader } from '../x402/x402-world';
import { type ChannelStage, channelStage } from './channel-world';

const CHAT = '/v1/agent/chat';
const COMPLETIONS = '/v1/chat/completions';
const BODY = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };

/** The second process asks about channels for the first time during an outage of its node. */
describe('a process whose node is away when it starts', () => {
  let stage: ChannelStage;
  let rpc: RpcFaultProxy;
  let second: World;

  beforeAll(async () => {
    stage = await channelStage();
    rpc = await startRpcFaultProxy(stage.chain.rpcUrl);
    rpc.fail('*', 'down');
    second = await World.start({
      ...stage.settings,
      X402_RPC_URL: rpc.url,
      DATABASE_URL: stage.world.settings.databaseUrl!,
    });
  });

  afterAll(async () => {
    await second.stop();
    await rpc.stop();
    await stage.stop();
  });

  it('asks for patience, and takes the same voucher when the node is back', async () => {
    const caller = await new ChannelCaller(stage.chain).minted();
    const payment = { 'payment-signature': encodeHeader(await caller.pay(stage.world, CHAT, BODY)) };

    const during = await second.post(CHAT, BODY, payment);
    const unpaid = await second.post(COMPLETIONS, BODY);
    const withBearer = await second.post(COMPLETIONS, BODY, { authorization: 'Bearer sk-strange' });

    expect([during.status, during.body.error.code]).toEqual([503, 'PAYMENT_UNAVAILABLE']);
    expect([unpaid.status, unpaid.body.error.code]).toEqual([503, 'PAYMENT_UNAVAILABLE']);
    expect(withBearer.status).toBe(401);

    rpc.reset();
    await expectEventually(async () => (await second.post(CHAT, BODY, payment)).status === 200);
    expect((await second.post(COMPLETIONS, BODY)).status).toBe(402);
    await second.expectBooksToBalance();
  });
});
