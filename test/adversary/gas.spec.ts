import { randomBytes } from 'node:crypto';

import {
  type Address,
  type Hex,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  hashMessage,
  keccak256,
  serializeErc6492Signature,
  toHex,
} from 'viem';

import { compiledContract } from '../../tools/chain/compile';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { CHAT_URL, signedPayment } from '../contract/rail-callers';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';
import { ChainPayer, type Drawn, HIGH_FEE, onChain } from './chain-payer';

const GAS_MAX = 300_000n;
const TOP_UP = '/v1/agent/x402/top-up?usd=50';
const TEMPERS = ['Burning', 'Origin', 'Price', 'Sender', 'Switched', 'Hungry'] as const;
type Temper = (typeof TEMPERS)[number];

const chat = (words = 'hello') => ({ messages: [{ role: 'user', content: words }], max_tokens: 16 });

describe("somebody who is after our gas, or our node's time", () => {
  let chain: LocalChain;
  let world: World;

  const hostile = compiledContract('HostileWallet');

  const deployed = async (data: Hex): Promise<Address> => {
    const hash = await chain.client.sendTransaction({ account: chain.accounts[3]!.address, data });
    return (await chain.client.waitForTransactionReceipt({ hash })).contractAddress!;
  };

  const creationOf = (temper: Temper, burn: bigint): Hex =>
    concatHex([
      hostile.creationCode,
      encodeAbiParameters([{ type: 'uint8' }, { type: 'uint256' }], [TEMPERS.indexOf(temper), burn]),
    ]);

  /** A funded contract wallet that behaves in this way. */
  const walletOf = async (temper: Temper, burn = 14_000_000n): Promise<Address> => {
    const wallet = await deployed(creationOf(temper, burn));
    await chain.usdc.mint(wallet, 100_000_000n);
    return wallet;
  };

  /** A payment by a contract wallet, which accepts its own kind of signature. */
  const paidBy = async (wallet: Address, url: string, body: object, to = world): Promise<Answer> => {
    const payment = await signedPayment(to, new ChainPayer(chain), body, { url });
    const opened = JSON.parse(Buffer.from(payment, 'base64').toString('utf8'));
    opened.payload.authorization.from = wallet;
    opened.payload.signature = `0x${'ab'.repeat(80)}`;
    const header = Buffer.from(JSON.stringify(opened)).toString('base64');
    return to.post(url, body, { 'payment-signature': header });
  };

  /** The gas of each transaction that our relayer sent, in order. */
  const burned = async (work: () => Promise<unknown>): Promise<bigint[]> => {
    const relayer = chain.accounts[1]!.address.toLowerCase();
    const first = (await chain.client.getBlockNumber()) + 1n;
    await work();
    const used: bigint[] = [];
    for (let n = first; n <= (await chain.client.getBlockNumber()); n += 1n) {
      const { transactions } = await chain.client.getBlock({ blockNumber: n, includeTransactions: true });
      for (const { from, hash } of transactions) {
        if (from === relayer) used.push((await chain.client.getTransactionReceipt({ hash })).gasUsed);
      }
    }
    return used;
  };

  const sentByRelayer = async (): Promise<number> => {
    const pool = await chain.client.getTxpoolContent();
    return Object.values(pool.pending).reduce((sum, byNonce) => sum + Object.keys(byNonce).length, 0);
  };

  const signInHeader = (wallet: Address, signature: Hex): string => {
    const message =
      `${world.settings.serviceDomain} wants you to sign in with your Ethereum account:\n${wallet}\n\n\n` +
      `URI: ${world.settings.http.publicUrl}\nVersion: 1\nChain ID: 8453\n` +
      `Nonce: ${randomBytes(8).toString('hex')}\nIssued At: ${new Date().toISOString()}`;
    return Buffer.from(JSON.stringify({ message, signature })).toString('base64');
  };

  const signIn = (header: string): Promise<Answer> =>
    world.post(CHAT_URL, chat(), { 'sign-in-with-x': header });

  beforeAll(async () => {
    chain = await startLocalChain();
    world = await World.start(onChain(chain));
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(async () => {
    await world.stop();
    await chain.stop();
  });

  it('takes a contract wallet that asks for little', async () => {
    const wallet = await walletOf('Switched');
    let answer: Answer | undefined;

    const gas = await burned(async () => (answer = await paidBy(wallet, CHAT_URL, chat())));

    expect(answer?.status).toBe(200);
    expect(gas.every((used) => used <= GAS_MAX)).toBe(true);
  });

  it.each<Temper>(['Burning', 'Origin', 'Price', 'Sender', 'Hungry'])(
    'is refused before anything is sent for a wallet that is %s',
    async (temper) => {
      const wallet = await walletOf(temper);
      let answer: Answer | undefined;

      const gas = await burned(async () => (answer = await paidBy(wallet, CHAT_URL, chat())));

      expect([answer?.status, answer?.body.error.code]).toEqual([402, 'INVALID_PAYMENT']);
      expect(gas).toEqual([]);
    },
  );

  it('gets a few capped transactions a day out of a wallet that turns once they are sent', async () => {
    const wallet = await walletOf('Switched');
    const turn = encodeFunctionData({ abi: hostile.abi, functionName: 'turn' });
    const bodies = Array.from({ length: 8 }, (_, n) => chat(`number ${n}`));
    let answers: Answer[] = [];

    const gas = await burned(async () => {
      await chain.pauseMining();
      const sent = bodies.map((body) => paidBy(wallet, CHAT_URL, body));
      await expectEventually(async () => (await sentByRelayer()) === 3);
      const hash = await chain.client.sendTransaction({
        account: chain.accounts[3]!.address,
        to: wallet,
        data: turn,
        ...HIGH_FEE,
      });
      await chain.resumeMining();
      await chain.client.waitForTransactionReceipt({ hash });
      answers = await Promise.all(sent);
    });

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(402));
    expect(gas).toHaveLength(3);
    expect(gas.every((used) => used <= GAS_MAX)).toBe(true);
    // The service remembers this wallet, also after it has become honest again.
    const again = await paidBy(wallet, CHAT_URL, chat('again'));
    expect(again.status).toBe(402);
  });

  it('gets no more out of a wallet with a key that is emptied on the way', async () => {
    const attacker = await new ChainPayer(chain).fundOnChain(1_000_000n);
    await chain.setEth(attacker.account.address, 10n ** 18n);
    await chain.client.impersonateAccount({ address: attacker.account.address });
    const drawn: Drawn[] = [];
    for (let n = 0; n < 8; n += 1) drawn.push(await attacker.draw(world, CHAT_URL, chat(`empty ${n}`)));
    let answers: Answer[] = [];

    const gas = await burned(async () => {
      await chain.pauseMining();
      const sent = drawn.map((payment, n) => attacker.send(world, CHAT_URL, chat(`empty ${n}`), payment));
      await expectEventually(async () => (await sentByRelayer()) === 3);
      const hash = await attacker.empty();
      await chain.resumeMining();
      await chain.client.waitForTransactionReceipt({ hash });
      answers = await Promise.all(sent);
    });
    await attacker.fundOnChain(1_000_000n);
    const again = await attacker.send(
      world,
      CHAT_URL,
      chat('again'),
      await attacker.draw(world, CHAT_URL, chat('again')),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(402));
    expect(gas).toHaveLength(3);
    expect([again.status, again.body.error.message]).toEqual([
      402,
      expect.stringContaining('at our expense several times today'),
    ]);
  });

  it('is not settled for more than a tenth, or the floor, where the coin has a price', async () => {
    const costly = await World.start({ ...onChain(chain), X402_NATIVE_USD: '3150.25' });
    const payer = await new ChainPayer(chain).fundOnChain(100_000_000n);
    const answers: Answer[] = [];

    const gas = await burned(async () => {
      answers.push(await payer.send(costly, CHAT_URL, chat(), await payer.draw(costly, CHAT_URL, chat())));
      answers.push(await payer.send(costly, TOP_UP, {}, await payer.draw(costly, TOP_UP, {})));
    });

    await costly.stop();
    const [small, large] = answers;
    expect([small?.status, small?.body.error.message]).toEqual([
      402,
      expect.stringContaining("network's fee for this payment is more than we pay"),
    ]);
    expect([large?.status, gas.length]).toEqual([200, 1]);
  });

  it('gets no more of the node by signing in', async () => {
    const answers = [
      await signIn(signInHeader(await walletOf('Hungry'), '0xabcd')),
      await signIn(signInHeader(await walletOf('Burning'), '0xabcd')),
    ];

    expect(answers.map(({ body }) => body.error.code)).toEqual(['INVALID_SIGN_IN', 'INVALID_SIGN_IN']);
  });

  describe('with a wallet that is not there yet', () => {
    const prefix = (factory: Address, data: Hex, signature: Hex): Hex =>
      serializeErc6492Signature({ address: factory, data, signature });

    it('signs in when making it takes little', async () => {
      const owner = new ChainPayer(chain);
      const wallet = await chain.smartWallets.addressOf(owner.account.address);
      const header = signInHeader(wallet, '0xab');
      const { message } = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
      const signature = chain.smartWallets.wrap(
        owner.account.address,
        await owner.account.sign({ hash: hashMessage(message) }),
      );

      const answer = await signIn(Buffer.from(JSON.stringify({ message, signature })).toString('base64'));

      expect(answer.body.error.code).toBe('INSUFFICIENT_FUNDS');
    });

    it('does not when making it burns gas', async () => {
      // A wallet that uses up its gas when the service checks its signature. A well-known contract deploys it.
      const salt = toHex(randomBytes(32));
      const factory = await deployed(compiledContract('SaltedMaker').creationCode);
      const creation = creationOf('Burning', 5_000_000n);
      const hash = keccak256(concatHex(['0xff', factory, salt, keccak256(creation)]));
      const wallet: Address = `0x${hash.slice(-40)}`;
      const make = encodeFunctionData({
        abi: compiledContract('SaltedMaker').abi,
        functionName: 'make',
        args: [salt, creation],
      });

      const answer = await signIn(signInHeader(wallet, prefix(factory, make, '0xab')));

      expect(answer.body.error.code).toBe('INVALID_SIGN_IN');
    });
  });
});
