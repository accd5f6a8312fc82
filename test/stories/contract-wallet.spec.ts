import { randomBytes } from 'node:crypto';

import { parseSignature, serializeSignature, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { walletAccount } from '#money/billing/ledger/account-id';
import { micro } from '#kernel/money';
import { parseWallet } from '#kernel/wallet-address';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { type RpcFaultProxy, startRpcFaultProxy } from '../../tools/chain/rpc-fault-proxy';
import { World } from '../support/world';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };

/** The order of the curve. The order minus `s` gives the other valid signature. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe('a contract wallet that signs in', () => {
  let chain: LocalChain;
  let node: RpcFaultProxy;
  let world: World;
  let wallet: `0x${string}`;

  const owner = () => privateKeyToAccount(chain.accounts[3]!.privateKey);

  const headerBy = async (signer: ReturnType<typeof owner>, chainId = 8453): Promise<string> => {
    const message =
      `${world.settings.serviceDomain} wants you to sign in with your Ethereum account:\n${wallet}\n\n\n` +
      `URI: ${world.settings.http.publicUrl}\nVersion: 1\nChain ID: ${chainId}\n` +
      `Nonce: ${randomBytes(8).toString('hex')}\nIssued At: ${new Date().toISOString()}`;
    const signature = await signer.signMessage({ message });
    return Buffer.from(JSON.stringify({ message, signature })).toString('base64');
  };

  const call = async (header: string) => world.post('/v1/agent/chat', CHAT, { 'sign-in-with-x': header });

  beforeAll(async () => {
    chain = await startLocalChain();
    node = await startRpcFaultProxy(chain.rpcUrl);
    world = await World.start({ X402_RPC_URL: node.url });
    await chain.smartWallets.deploy(owner().address);
    wallet = await chain.smartWallets.addressOf(owner().address);
    const funds = world.app.get(AccountFunds, { strict: false });
    await funds.topUp(walletAccount(parseWallet(wallet)!), micro(100_000n), 'test:contract');
  });

  afterEach(() => node.reset());

  afterAll(async () => {
    await world.stop();
    await node.stop();
    await chain.stop();
  });

  it('spends its balance when its owner signed', async () => {
    expect((await call(await headerBy(owner()))).status).toBe(200);
  });

  it('is refused when anybody else signed', async () => {
    const stranger = privateKeyToAccount(chain.accounts[4]!.privateKey);

    expect((await call(await headerBy(stranger))).body.error.code).toBe('INVALID_SIGN_IN');
  });

  it('is refused for another chain, where its code may be another', async () => {
    expect((await call(await headerBy(owner(), 1))).body.error.code).toBe('INVALID_SIGN_IN');
  });

  it('takes no second spelling of the signature of a key', async () => {
    const account = privateKeyToAccount(chain.accounts[5]!.privateKey);
    const message =
      `${world.settings.serviceDomain} wants you to sign in with your Ethereum account:\n${account.address}\n\n\n` +
      `URI: ${world.settings.http.publicUrl}\nVersion: 1\nChain ID: 8453\n` +
      `Nonce: ${randomBytes(8).toString('hex')}\nIssued At: ${new Date().toISOString()}`;
    const { r, s, yParity } = parseSignature(await account.signMessage({ message }));
    const twin = serializeSignature({
      r,
      s: toHex(ORDER - BigInt(s), { size: 32 }),
      yParity: yParity === 0 ? 1 : 0,
    });
    const header = Buffer.from(JSON.stringify({ message, signature: twin })).toString('base64');

    expect((await call(header)).body.error.code).toBe('INVALID_SIGN_IN');
  });

  it('is asked to come again while the chain does not answer', async () => {
    node.fail('*', 'down');

    const answer = await call(await headerBy(owner()));

    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBeDefined();
  });
});
