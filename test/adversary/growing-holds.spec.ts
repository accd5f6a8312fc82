import { LedgerRepository } from '#money/billing/ledger/ledger.repository';
import { CompatibleStage } from '../compatible/compatible-stage';
import { KeyCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';

/** 3,500 letters are estimated as 1,000 tokens, and these cost a cent. */
const PIECE = 'a'.repeat(3_500);
const CENT = 10_000;
const BODY = { model: 'claude', messages: [{ role: 'user', content: 'Hi.' }] };

/** An answer of so many thousand tokens, from a vendor that ignores its limit. */
const long = (thousands: number) => ({
  texts: Array.from({ length: thousands }, () => PIECE),
  counts: { read: 10, written: thousands * 1_000 },
});

describe('attacks on holds that grow', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    stage = await CompatibleStage.start({
      inputUsdPerMtok: '1',
      outputUsdPerMtok: '10',
      maxOutputTokens: 100_000,
      contextTokens: 200_000,
    });
  });
  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  type Headers = Readonly<Record<string, string>>;
  const newKey = async (cents: number): Promise<KeyCaller> =>
    KeyCaller.register(stage.world, BigInt(cents * CENT));
  const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
  const ask = (headers: Headers, body: object = {}) =>
    stage.world.post('/v1/chat/completions', { ...BODY, ...body }, headers);
  const stream = (headers: Headers, body: object = {}) => ask(headers, { stream: true, ...body });
  const piecesIn = (text: string): number => text.split(PIECE).length - 1;

  it.each([true, false])('ends an answer at the most that its caller pays, stream %s', async (isStream) => {
    const caller = await newKey(100);
    stage.fakes.claude.sayNext(long(60));
    const { body } = await ask(
      { ...bearer(caller.key), 'x-max-price-micro': String(12 * CENT) },
      { stream: isStream },
    );

    const text = isStream ? body : body.choices[0].message.content;
    expect(piecesIn(text)).toBeLessThan(25);
    expect(isStream ? text : JSON.stringify(body)).toContain('"finish_reason":"length"');
  });

  it('lets an answer use the last money, below a whole step', async () => {
    const caller = await newKey(40);
    stage.fakes.claude.sayNext(long(39));
    const { body } = await stream(bearer(caller.key));
    expect([piecesIn(body), body.includes('"finish_reason":"stop"')]).toEqual([39, true]);
  });

  it('promises the free money of a payer to all their calls together', async () => {
    const caller = await newKey(200);
    const calls = 12;
    stage.fakes.claude.bodies.length = 0;
    stage.fakes.claude.says = () => ({ texts: ['Hello.'], after: { events: 3, comes: 'silence' } });
    const aborts = Array.from({ length: calls }, () => new AbortController());
    const url = `${stage.url}/v1/chat/completions`;
    const running = aborts.map(({ signal }, at) =>
      fetch(url, {
        method: 'POST',
        signal,
        headers: {
          ...bearer(caller.key),
          'content-type': 'application/json',
          'idempotency-key': `many-calls-${at}`,
        },
        body: JSON.stringify({ ...BODY, stream: true }),
      })
        .then((answer) => answer.text())
        .catch(() => ''),
    );
    await expectEventually(() => Promise.resolve(stage.fakes.claude.bodies.length >= calls));
    aborts.forEach((abort) => abort.abort());
    await Promise.all(running);

    const promised = stage.fakes.claude.bodies.reduce((sum, body) => sum + Number(body['max_tokens']), 0);
    // A model that thinks without a sign of it could make as many tokens. The money covers 200,000 (without sharing, this would be over 1,000,000).
    expect(promised).toBeLessThan(600_000);
  });

  it('shows no negative balance after a dry run', async () => {
    const caller = await newKey(9);
    const { status, body } = await ask(bearer(caller.key), { dryRun: true });
    expect([status, body.balanceAfterMicro]).toEqual([200, 0]);
  });

  it('holds a step once, if the answer of the database is lost and the step is repeated', async () => {
    const caller = await newKey(100);
    stage.fakes.claude.sayNext(long(20));
    const ledger = stage.world.app.get(LedgerRepository);
    const extend = ledger.extend.bind(ledger);
    const twice = jest.spyOn(ledger, 'extend').mockImplementation(async (draft, amount) => {
      await extend(draft, amount);
      return extend(draft, amount);
    });
    try {
      const { body } = await stream({ ...bearer(caller.key), 'x-max-price-micro': String(30 * CENT) });
      expect(body).toContain('"finish_reason":"stop"');
      const held = await Promise.all(twice.mock.results.map(({ value }) => value as Promise<bigint>));
      expect(held).toEqual(twice.mock.calls.map(([, amount]) => amount));
    } finally {
      twice.mockRestore();
    }
  });

  it.each([
    ['of a day', 'day_limit_micro', '1 day'],
    ['of a month', 'month_limit_micro', '32 days'],
  ])('keeps a limit %s, if the period ends while the answer is written', async (_, limit, before) => {
    const caller = await newKey(100);
    await stage.world.db.rows(`update api_key set ${limit} = $1 where account_id = $2`, [
      10 * CENT,
      caller.accountId,
    ]);
    // The call has begun in the earlier period.
    await stage.world.db
      .rows(`create or replace function begin_before() returns trigger language plpgsql as $$
      begin
        new.created_at = now() - interval '${before}';
        return new;
      end $$`);
    await stage.world.db
      .rows(`create or replace function spend_before() returns trigger language plpgsql as $$
      begin
        new.day = new.day - interval '${before}';
        return new;
      end $$`);
    await stage.world.db.rows(
      'create trigger begin_before before insert on charge for each row execute function begin_before()',
    );
    await stage.world.db.rows(
      'create trigger spend_before before insert on key_spend for each row execute function spend_before()',
    );
    try {
      stage.fakes.claude.sayNext(long(40));
      await stream(bearer(caller.key));
      const [spent] = await stage.world.db.rows<{ spent: string }>(
        'select max(spent_micro) as spent from key_spend where key_id in (select id from api_key where account_id = $1)',
        [caller.accountId],
      );
      expect(Number(spent!.spent)).toBeLessThanOrEqual(10 * CENT);
    } finally {
      await stage.world.db.rows('drop trigger begin_before on charge; drop function begin_before');
      await stage.world.db.rows('drop trigger spend_before on key_spend; drop function spend_before');
    }
  });
});
