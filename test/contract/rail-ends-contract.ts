import { ChargeService } from '#money/billing/calls/charge.service';
import { LeaseKeeper } from '#money/billing/charges/lease-keeper';
import { railClasses } from '#money/billing/rails/rail-order';
import { PaymentRail } from '#money/billing/rails/rail';
import { Rails } from '#money/billing/rails/rails';
import { ChargeSweepProcessor } from '#money/billing/sweeps/charge-sweep.processor';
import { TransparencyProcessor } from '#money/billing/transparency/transparency.processor';
import { RefundSweepProcessor } from '#work/jobs/refund-sweep.processor';
import { Logger, type Type } from '@nestjs/common';
import { expectEventually } from '../support/eventually';
import { captureLog } from '../support/log-lines';
import type { Answer, World } from '../support/world';
import { CHAT_URL, type RailCaller, type RailFixture } from './rail-callers';

const MONEY = 5_000_000n;
const PRICE = 2_000n;
const VIDEOS = '/v1/agent/videos';
const BY_USE = '/v1/chat/completions';

const chatting = (content: string) => ({ messages: [{ role: 'user', content }], max_tokens: 64 });
const CHAT = chatting('Say something short.');

/** The promises of every way to pay about refunds, dead processes, holds, owners and secrets. */
export const holdEndsToContract = (way: string, fixture: RailFixture, world: () => World): void => {
  const { rail = way } = fixture;
  const { accounts } = railClasses().find(({ facts }) => facts.name === rail)!.facts;
  let caller: RailCaller;

  const get = <T>(of: abstract new (...given: never[]) => T): T =>
    world().app.get(of as Type<T>, { strict: false });
  const pay = async (body: object, url = CHAT_URL, by = caller): Promise<Answer> =>
    world().post(url, body, await by.credential(body, undefined, url));
  /** All of the money of a caller, wherever refunds went to. */
  const moneyOf = async (of: RailCaller): Promise<bigint> =>
    (await of.left()) + ((await of.credited?.()) ?? 0n);
  const chargeIdIn = ({ headers }: Answer): string => String(headers['x-charge-id']);
  const stateOf = async (id: string): Promise<string> =>
    (await world().db.one<{ state: string }>('select state from charge where id = $1', [id]))!.state;
  const refund = async (id: string): Promise<boolean> => {
    const charges = get(ChargeService);
    return charges.refund((await charges.find(id))!);
  };
  const collect = async (): Promise<void> => fixture.collect?.(world());

  beforeEach(async () => {
    caller = await fixture.caller(world(), MONEY);
  });

  it('gives a charged call back in full, and only once', async () => {
    const id = chargeIdIn(await pay(CHAT));
    expect(await moneyOf(caller)).toBe(MONEY - PRICE);
    await collect();

    const refunds = [await get(Rails).of(rail).refund(id), await get(Rails).of(rail).refund(id)];

    expect(refunds).toEqual([true, false]);
    expect([await stateOf(id), await moneyOf(caller)]).toEqual(['refunded', MONEY]);
  });

  it('gives the money of a job back that fails after it was charged', async () => {
    const paid = await pay({ prompt: 'a lamp [[fail]]' }, VIDEOS);
    const id = chargeIdIn(paid);

    expect([paid.status, paid.headers['x-charge-state']]).toEqual([200, 'charged']);
    await expectEventually(async () => {
      await collect();
      await world().db.rows('update sweep_pause set retry_at = now()');
      await get(RefundSweepProcessor).run();
      return (await stateOf(id)) === 'refunded';
    });
    expect(await moneyOf(caller)).toBe(MONEY);
  });

  it('releases the call of a process that died before its work was done', async () => {
    const body = chatting('slowly [[delay 2s]]');
    const answer = pay(body);
    const held = () => world().db.one<{ id: string }>(`select id from charge where state = 'held'`);
    await expectEventually(async () => (await held()) !== undefined);
    const { id } = (await held())!;
    get(LeaseKeeper).letGo(id);
    await world().db.rows(`update charge set lease_until = now() - interval '1 second' where id = $1`, [id]);

    await expectEventually(async () => {
      await get(ChargeSweepProcessor).run();
      return (await stateOf(id)) === 'released';
    });

    expect(await moneyOf(caller)).toBe(MONEY);
    expect((await answer).headers['x-charge-state']).not.toBe('charged');
    expect(await moneyOf(caller)).toBe(MONEY);
  });

  it('charges a call by usage what it has used, and nothing if its work failed', async () => {
    const asked = (directive: string) => ({
      model: 'lumen-flash',
      ...chatting(`say it [[${directive}]]`),
      max_tokens: 4_000,
    });
    if (get(Rails).of(rail).capture === PaymentRail.prototype.capture) {
      const unpaid = await world().post(BY_USE, asked('tokens 200'), await caller.credential(CHAT));
      expect([401, 402]).toContain(unpaid.status);
      expect(await moneyOf(caller)).toBe(MONEY);
      return;
    }
    const answer = await pay(asked('tokens 200'), BY_USE);
    const used = MONEY - (await moneyOf(caller));
    const [row] = await world().db.rows<{ price: string; state: string }>(
      'select price_micro::text as price, state from charge where id = $1',
      [chargeIdIn(answer)],
    );
    const failed = await pay(asked('fail'), BY_USE);

    expect([answer.status, row]).toEqual([200, { price: used.toString(), state: 'charged' }]);
    expect(used).toBeGreaterThan(0n);
    expect([failed.status, failed.headers['x-charge-state']]).toEqual([502, 'released']);
    expect(await moneyOf(caller)).toBe(MONEY - used);
  });

  it('holds the money of one payer for one call, and touches nobody else', async () => {
    const poor = await fixture.caller(world(), 2n * PRICE - 1n);
    const slow = pay(chatting('slowly [[delay 1s]]'), CHAT_URL, poor);
    await expectEventually(
      async () =>
        (
          await world().db.rows(`select from charge where state = 'held' and lower(payer) = lower($1)`, [
            poor.payer,
          ])
        ).length === 1,
    );

    const second = await pay(CHAT, CHAT_URL, poor);
    const others = await pay(CHAT);

    expect([second.status, others.status, (await slow).status]).toEqual([402, 200, 200]);
    expect([await moneyOf(poor), await moneyOf(caller)]).toEqual([PRICE - 1n, MONEY - PRICE]);
  });

  if (fixture.isSerial !== true) {
    it('serves as many calls at once as its money pays, and no more', async () => {
      const poor = await fixture.caller(world(), 2n * PRICE);

      const answers = await Promise.all(
        [1, 2, 3, 4, 5].map((at) => pay(chatting(`call ${at}`), CHAT_URL, poor)),
      );

      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
        200, 200, 402, 402, 402,
      ]);
      expect(await moneyOf(poor)).toBe(0n);
    });
  }

  it('names the same owner in the books, the receipt, the transparency log and the statement', async () => {
    const id = chargeIdIn(await pay(CHAT));
    await collect();
    await refund(id);
    const owner = caller.payer.startsWith('0x') ? caller.payer.toLowerCase() : caller.payer;

    const entries = await world().db.rows<{ account: string; kind: string }>(
      'select account_id as account, kind from ledger_entry where charge_id = $1 order by seq',
      [id],
    );
    const leavesNow = () =>
      world().db.rows<{ owner: string; entry: string }>(
        `select owner, entry_id as entry from transparency_leaf
         where entry_id like $1 || '.%' or entry_id like '%:' || $2 || '/%'`,
        [id, owner],
      );
    // The log seals no row while an older transaction is open.
    await expectEventually(async () => {
      await get(TransparencyProcessor).run();
      return (await leavesNow()).some(({ entry }) => entry === `${id}.refunded`);
    });
    const leaves = await leavesNow();
    const receipt = (await world().get(`/v1/agent/charges/${id}`)).body;

    const account = `${accounts ?? 'wallet'}:${owner}`;
    expect(entries).toEqual([
      ...(accounts === undefined ? [] : [{ account, kind: 'debit' }]),
      { account, kind: 'refund' },
    ]);
    expect([receipt.payer.toLowerCase(), receipt.rail]).toEqual([owner.toLowerCase(), rail]);
    expect(leaves.map(({ entry }) => entry)).toContain(`${id}.charged`);
    expect(new Set(leaves.map((leaf) => leaf.owner))).toEqual(new Set([owner]));
    if (accounts === undefined) return;
    const { status, body } = await world().get('/v1/agent/statement', await caller.credential({}));
    expect([status, String(body.owner).toLowerCase()]).toEqual([200, owner.toLowerCase()]);
    expect(JSON.stringify(body)).toContain(id);
    expect(body.closingBalanceMicro).toBe(Number(MONEY));
  });

  it('shows no credential in a log line, an answer or a metric', async () => {
    const { lines } = captureLog(world());
    const credential = await caller.credential(CHAT);
    const [[header, secret] = ['', '']] = Object.entries(credential);
    const said = [
      await world().post(CHAT_URL, CHAT, credential),
      await world().post(CHAT_URL, { messages: [] }, credential),
      await world().post(CHAT_URL, '{', credential),
      await world().post(CHAT_URL, CHAT, { ...credential, 'idempotency-key': '' }),
      await pay(chatting('no [[reject]]')),
      await world().post(CHAT_URL, CHAT, { [header]: `${secret}x` }),
    ];
    const id = chargeIdIn(said[0]!);
    said.push(
      await world().get(`/v1/agent/charges/${id}`),
      await world().get('/v1/agent/balance', credential),
      await world().get('/v1/agent/requests', credential),
      await world().get('/metrics'),
    );
    new Logger('Test').warn({ headers: { [header]: secret } }, 'A call came.');
    // A secret of many calls must not be in a text either, such as the message of an error.
    const isLasting = (await caller.credential(CHAT))[header] === secret;
    if (isLasting) new Logger('Test').warn(`A call came with ${secret}, and another one with ${secret}.`);

    const seen = JSON.stringify(said.map(({ body, headers }) => [body, headers]));
    expect(lines.length).toBeGreaterThan(0);
    expect([lines.join('\n').includes(secret), seen.includes(secret)]).toEqual([false, false]);
    const rows = await world().db.rows<{ text: string }>(
      `select to_jsonb(c)::text as text from charge c where id = $1
       union all select to_jsonb(e)::text from ledger_entry e where charge_id = $1`,
      [id],
    );
    expect(rows.map(({ text }) => text).join()).not.toContain(secret);
  });
};
