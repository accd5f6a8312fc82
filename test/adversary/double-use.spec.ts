import { encodeFunctionData } from 'viem';

import { ReconciliationProcessor } from '#money/billing/sweeps/reconciliation.processor';
import { compiledContract } from '../../tools/chain/compile';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';
import { ChainPayer, type Drawn, MULTICALL3, PAY_TO, carryingOut, onChain } from './chain-payer';

const CHAT = '/v1/agent/chat';
const TOP_UP = '/v1/agent/x402/top-up?usd=5';
const FIVE = 5_000_000n;

/** A call with a number in its text, so that a test finds it again. It runs long enough for the attack. */
const chatNumber = (n: number) => ({
  messages: [{ role: 'user', content: `Attack number ${n}. [[delay 2s]]` }],
  max_tokens: 16,
});

describe('one transfer that is to pay several times', () => {
  let chain: LocalChain;
  let world: World;

  const payer = (amount: bigint) => new ChainPayer(chain).fundOnChain(amount);

  const openCalls = async (from: ChainPayer): Promise<number> => {
    const rows = await world.db.rows(
      `select from charge where payer = $1 and state in ('held', 'settling')`,
      [from.wallet.toLowerCase()],
    );
    return rows.length;
  };

  /** The sum of the charged calls and the credited balance. */
  const charged = async (from: ChainPayer): Promise<bigint> => {
    const row = await world.db.one<{ sum: string }>(
      `select coalesce(sum(price_micro), 0)::text as sum from charge where payer = $1 and state in ('charged', 'refunded')`,
      [from.wallet.toLowerCase()],
    );
    return BigInt(row?.sum ?? 0);
  };

  const received = async (from: ChainPayer): Promise<bigint> => {
    const transfers = await chain.usdc.transferEvents({ from: from.account.address, to: PAY_TO });
    return transfers.reduce((sum, { value }) => sum + value, 0n);
  };

  /** Sends calls with valid payments, runs `trick` meanwhile, and returns the answers. */
  const cheat = async (
    from: ChainPayer,
    count: number,
    during: (drawn: readonly Drawn[]) => Promise<unknown>,
  ): Promise<readonly Answer[]> => {
    const drawn: Drawn[] = [];
    for (let n = 0; n < count; n += 1) drawn.push(await from.draw(world, CHAT, chatNumber(n)));
    const answers = drawn.map((payment, n) => from.send(world, CHAT, chatNumber(n), payment));
    await expectEventually(async () => (await openCalls(from)) === count);
    await during(drawn);
    return Promise.all(answers);
  };

  /** By the chain, the books and the reconciliation, the attacker got no more than it has paid for. */
  const expectNothingGained = async (from: ChainPayer, answers: readonly Answer[]): Promise<void> => {
    expect(await charged(from)).toBe(await received(from));
    for (const { status, body } of answers.filter(({ status: code }) => code !== 200)) {
      expect([402, 503]).toContain(status);
      // The example of an answer is in the extensions.
      expect(JSON.stringify({ ...body, extensions: undefined })).not.toContain('choices');
    }
    await world.expectBooksToBalance();
    const drift = await world.app.get(ReconciliationProcessor, { strict: false }).run();
    expect(Object.values(drift).every((amount) => amount === 0n)).toBe(true);
  };

  beforeAll(async () => {
    chain = await startLocalChain();
    world = await World.start(onChain(chain));
  });

  afterAll(async () => {
    await world.stop();
    await chain.stop();
  });

  it('pays one call when the other nonces moved nothing to nobody', async () => {
    const attacker = await payer(1_000_000n);

    const answers = await cheat(attacker, 4, async ([real, ...others]) => {
      const empty = await Promise.all(
        others.map(({ authorization: { nonce } }) =>
          attacker.sign({ to: attacker.account.address, value: 0n, nonce }),
        ),
      );
      await attacker.batch([real!, ...empty].map((one) => ({ data: carryingOut(one) })));
    });

    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 402, 402, 402]);
    await expectNothingGained(attacker, answers);
  });

  it('pays one call when the price was moved to itself under the other nonces', async () => {
    const attacker = await payer(1_000_000n);

    const answers = await cheat(attacker, 3, async ([real, ...others]) => {
      const toItself = await Promise.all(
        others.map(({ authorization: { nonce, value } }) =>
          attacker.sign({ to: attacker.account.address, value, nonce }),
        ),
      );
      await attacker.batch([...toItself, real!].map((one) => ({ data: carryingOut(one) })));
    });

    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 402, 402]);
    await expectNothingGained(attacker, answers);
  });

  it('pays nothing when a plain transfer of the price is beside used nonces', async () => {
    const attacker = await payer(1_000_000n);
    await chain.setEth(attacker.account.address, 10n ** 18n);
    await chain.client.impersonateAccount({ address: attacker.account.address });
    await attacker.allow(MULTICALL3);

    const answers = await cheat(attacker, 2, async (drawn) => {
      const empty = await Promise.all(
        drawn.map(({ authorization: { nonce } }) =>
          attacker.sign({ to: attacker.account.address, value: 0n, nonce }),
        ),
      );
      const gift = attacker.taking(PAY_TO, drawn[0]!.authorization.value);
      await attacker.batch([
        { data: carryingOut(empty[0]!) },
        { data: carryingOut(empty[1]!) },
        { data: gift },
      ]);
    });

    // The attacker's transfer remains with the service, and bought nothing.
    expect(answers.map(({ status }) => status)).toEqual([402, 402]);
    expect([(await received(attacker)) > 0n, await charged(attacker)]).toEqual([true, 0n]);
    await world.expectBooksToBalance();
  });

  it('pays nothing with the transfer of another token', async () => {
    const attacker = await payer(1_000_000n);
    const { contractAddress: token } = await chain.client.waitForTransactionReceipt({
      hash: await chain.client.sendTransaction({
        account: chain.accounts[3]!.address,
        data: compiledContract('FalseToken').creationCode,
      }),
    });

    const answers = await cheat(attacker, 1, async ([real]) => {
      const { from, nonce, value } = real!.authorization;
      const empty = await attacker.sign({ to: from, value: 0n, nonce });
      const emit = encodeFunctionData({
        abi: compiledContract('FalseToken').abi,
        functionName: 'pretend',
        args: [from, PAY_TO, value, nonce],
      });
      await attacker.batch([
        { target: token!, data: emit },
        { data: carryingOut(empty) },
        { target: token!, data: emit },
      ]);
    });

    expect(answers.map(({ status }) => status)).toEqual([402]);
    await expectNothingGained(attacker, answers);
  });

  it('credits one top-up of eight', async () => {
    const attacker = await payer(8n * FIVE);
    const drawn: Drawn[] = [];
    for (let n = 0; n < 8; n += 1) drawn.push(await attacker.draw(world, TOP_UP, {}));
    const empty = await Promise.all(
      drawn
        .slice(1)
        .map(({ authorization: { nonce } }) =>
          attacker.sign({ to: attacker.account.address, value: 0n, nonce }),
        ),
    );
    await chain.pauseMining();
    const answers = drawn.map((payment) => attacker.send(world, TOP_UP, {}, payment));
    await expectEventually(async () => (await openCalls(attacker)) === 8);

    // The chain mines it before our own transactions, which then fail.
    const hash = await attacker.submit([drawn[0]!, ...empty].map((one) => ({ data: carryingOut(one) })));
    await chain.resumeMining();
    await attacker.mined(hash);
    const answered = await Promise.all(answers);

    await expectEventually(async () => (await openCalls(attacker)) === 0);
    await expectNothingGained(attacker, answered);
    const { body } = await world.get(`/v1/agent/x402/balance/${attacker.wallet}`);
    expect(BigInt(body.balanceMicro)).toBe(await received(attacker));
  });

  it('is charged once when somebody else carries the payment out first', async () => {
    const caller = await payer(1_000_000n);

    const answers = await cheat(caller, 2, async (drawn) => {
      await caller.batch(drawn.map((one) => ({ data: carryingOut(one) })));
    });

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await expectNothingGained(caller, answers);
  });

  it('cannot be cancelled and still buy', async () => {
    const attacker = await payer(1_000_000n);

    const answers = await cheat(attacker, 2, async ([real, other]) => {
      await attacker.batch([{ data: carryingOut(real!) }]);
      await chain.usdc.cancelAuthorization(attacker.privateKey, other!.authorization.nonce);
    });

    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 402]);
    await expectNothingGained(attacker, answers);
  });
});
