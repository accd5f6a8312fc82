import { KeyCaller, WalletCaller } from '../support/caller';
import { CompatibleStage } from './compatible-stage';

/** 3,500 letters are estimated as 1,000 tokens, and these cost a cent. */
const PIECE = 'a'.repeat(3_500);
const CENT = 10_000;
const BODY = { model: 'claude', messages: [{ role: 'user', content: 'Hi.' }] };

const pieces = (thousands: number): string[] => Array.from({ length: thousands }, () => PIECE);
/** The counts of an answer of so many thousand tokens. */
const counts = (thousands: number) => ({ read: 10, written: thousands * 1_000 });

describe('the hold of an answer', () => {
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
  const stream = (headers: Headers, body: object = {}) =>
    ask(headers, { stream: true, stream_options: { include_usage: true }, ...body });
  const balanceOf = async ({ cookie }: KeyCaller): Promise<number> =>
    (await stage.world.get('/v1/account', { cookie })).body.balanceMicro;
  const reservedOf = async ({ accountId }: KeyCaller): Promise<string> =>
    (
      await stage.world.db.rows<{ reserved: string }>(
        'select reserved_micro as reserved from ledger_account where id = $1',
        [`credits:${accountId}`],
      )
    )[0]!.reserved;
  const chargeOf = (body: string): { state: string; priceMicro: number } =>
    JSON.parse(/"charge":(\{[^}]*\})/.exec(body)![1]!);

  it('begins with 8,000 tokens, so a payer with less than the worst case is served', async () => {
    const caller = await newKey(9);
    stage.fakes.claude.sayNext({ texts: ['Hello.'], counts: counts(1) });
    const { status, headers } = await ask(bearer(caller.key));

    expect([status, headers['x-charge-micro']]).toEqual([200, String(CENT + 10)]);
    // The vendor may not think for longer than the payer can pay.
    const { maxTokens } = stage.fakes.claude.received;
    expect(maxTokens).toBeGreaterThan(8_900);
    expect(maxTokens).toBeLessThanOrEqual(9_000);
    expect(await balanceOf(caller)).toBe(8 * CENT - 10);
    expect(await reservedOf(caller)).toBe('0');
  });

  it('begins with less for a payer who has less and states no limit', async () => {
    const caller = await newKey(2);
    stage.fakes.claude.sayNext({ texts: pieces(40), counts: counts(40) });
    const { status, body } = await stream(bearer(caller.key));

    expect(status).toBe(200);
    expect(body).toContain('"finish_reason":"length"');
    expect(stage.fakes.claude.received.maxTokens).toBeLessThanOrEqual(2_000);
    expect(await balanceOf(caller)).toBe(0);
  });

  it('is refused for a payer who has less than its beginning, with both prices', async () => {
    const caller = await newKey(7);
    const { status, body } = await ask(bearer(caller.key), { max_tokens: 100_000 });

    expect(status).toBe(402);
    expect(body.error.message).toMatch(
      /^The balance is \$0\.070000\. This call begins with \$0\.0800\d\d and may cost up to \$1\.000\d\d\d\. Top up at /,
    );
  });

  it('says what a long conversation needs before the service receives it', async () => {
    const long = { messages: [{ role: 'user', content: 'word '.repeat(20_000) }] };
    const poor = await ask(bearer((await newKey(0)).key), long);

    expect([poor.status, poor.body.error.message]).toEqual([
      402,
      expect.stringMatching(
        /^The balance is \$0\.000000\. A call of this size needs at least \$0\.002000\. Top up at /,
      ),
    ]);
  });

  it('names the limit of a key, which no top-up changes, and where to raise it', async () => {
    const { key } = await newKey(100);
    const capped = await stage.world.post(
      '/v1/agent/keys',
      { name: 'agent', limitMicro: 500, expiresInSeconds: 3_600 },
      { 'x-api-key': key },
    );
    const headers = bearer(capped.body.key as string);
    const short = await ask(headers);
    const long = await ask(headers, { messages: [{ role: 'user', content: 'word '.repeat(20_000) }] });

    for (const { status, body } of [short, long])
      expect([status, body.error.code]).toEqual([402, 'KEY_SPEND_LIMIT']);
    expect(short.body.error.message).toMatch(
      /^The key may spend \$0\.000500 more\. This call begins with \$\S+ and may cost up to \$\S+\. Raise its limit at \S+\/account\/keys, or use another key\.$/,
    );
    expect(long.body.error.message).toMatch(
      /^The key may spend \$0\.000500 more\. A call of this size needs at least \$0\.002000\. Raise its limit at /,
    );
  });

  it.each([true, false])('grows with the answer, stream %s', async (isStream) => {
    const caller = await newKey(100);
    stage.fakes.claude.sayNext({ texts: pieces(30), counts: counts(30) });
    const { status, body } = await ask(bearer(caller.key), { stream: isStream });

    expect(status).toBe(200);
    if (isStream) expect(body).toContain('"finish_reason":"stop"');
    else expect(body.choices[0].finish_reason).toBe('stop');
    expect(await balanceOf(caller)).toBe(70 * CENT - 10);
    expect(await reservedOf(caller)).toBe('0');
  });

  it.each([true, false])('ends the answer where the money ends, stream %s', async (isStream) => {
    const caller = await newKey(12);
    stage.fakes.claude.sayNext({ texts: pieces(40), counts: counts(40) });
    const { status, body } = await ask(bearer(caller.key), { stream: isStream });

    expect(status).toBe(200);
    if (isStream) expect(body).toContain('"finish_reason":"length"');
    else expect(body.choices[0].finish_reason).toBe('length');
    // The vendor sends many pieces in one packet, and those were made already.
    const text = isStream ? body : body.choices[0].message.content;
    expect(text.split(PIECE).length - 1).toBeLessThan(25);
    expect(await balanceOf(caller)).toBe(0);
    expect(await reservedOf(caller)).toBe('0');
  });

  it('takes the real use above it, up to the balance, and counts the rest', async () => {
    const caller = await newKey(10);
    // The model has thought without a sign of it.
    stage.fakes.claude.sayNext({ texts: ['Hello.'], counts: counts(25) });
    const { body } = await stream(bearer(caller.key));

    expect(chargeOf(body)).toMatchObject({ state: 'charged', priceMicro: 10 * CENT });
    expect(await balanceOf(caller)).toBe(0);
    const { body: metrics } = await stage.world.get('/metrics');
    expect(
      Number(/lamppost_uncollected_micro_usd_total\{rail="api-key"\} (\d+)/.exec(metrics)?.[1]),
    ).toBeGreaterThan(15 * CENT);
  });

  it('never exceeds what the caller agrees to', async () => {
    const caller = await newKey(100);
    const long = { texts: pieces(40), counts: counts(40) };

    stage.fakes.claude.sayNext(long);
    const most = await stream({ ...bearer(caller.key), 'x-max-price-micro': String(15 * CENT) });
    expect(chargeOf(most.body).priceMicro).toBeLessThanOrEqual(15 * CENT);
    expect(chargeOf(most.body).priceMicro).toBeGreaterThan(14 * CENT);

    const { body: quote } = await stage.world.post(
      '/v1/agent/quote?path=/v1/chat/completions',
      BODY,
      bearer(caller.key),
    );
    expect(quote.priceMicro).toBeGreaterThan(8 * CENT);
    expect(quote.priceMicro).toBeLessThan(8.1 * CENT);
    stage.fakes.claude.sayNext(long);
    const quoted = await stream(bearer(caller.key), { quoteId: quote.quoteId });
    expect(chargeOf(quoted.body).priceMicro).toBeLessThanOrEqual(quote.priceMicro);

    const tooLow = await ask(
      { ...bearer(caller.key), 'x-max-price-micro': String(7 * CENT) },
      { max_tokens: 100_000 },
    );
    expect([tooLow.status, tooLow.body.error.code]).toEqual([400, 'PRICE_ABOVE_MAX']);
  });

  it.each([
    ['a limit of the key', { limitMicro: 12 * CENT }, 12],
    ['a price limit of its scopes', { scopes: { priceMicroMax: 11 * CENT } }, 11],
    ['a reserve of its own', { limitMicro: 12 * CENT, reserve: true }, 12],
  ])('stays within %s', async (_, options, cents) => {
    const caller = await newKey(100);
    const made = await stage.world.post(
      '/v1/agent/keys',
      { expiresInSeconds: 600, limitMicro: 90 * CENT, ...options },
      bearer(caller.key),
    );
    expect(made.status).toBe(201);
    stage.fakes.claude.sayNext({ texts: pieces(40), counts: counts(40) });
    const { body } = await stream(bearer(made.body.key));

    // The fake ignores its limit.
    expect(stage.fakes.claude.received.maxTokens).toBeLessThanOrEqual(cents * 1_000);
    expect(chargeOf(body).priceMicro).toBeLessThanOrEqual(cents * CENT);
    expect(chargeOf(body).priceMicro).toBeGreaterThan((cents - 1) * CENT);
  });

  it('grows for a wallet at its price', async () => {
    const wallet = await new WalletCaller().fund(stage.world, 2_000_000n);
    stage.fakes.claude.sayNext({ texts: pieces(20), counts: counts(20) });
    const { status, body } = await stream({ 'sign-in-with-x': await wallet.signIn(stage.world) });

    expect(status).toBe(200);
    expect(body).toContain('"finish_reason":"stop"');
    // The markup of a wallet is 10/3.
    expect(chargeOf(body).priceMicro).toBe(Math.ceil(((20 * CENT + 10) * 10) / 3));
  });

  it('never spends a dollar twice in many answers at once', async () => {
    const caller = await newKey(100);
    stage.fakes.claude.says = () => ({ texts: pieces(20), counts: counts(20) });
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        stream({ ...bearer(caller.key), 'idempotency-key': `many-calls-${n}` }),
      ),
    );

    const charged = answers
      .filter(({ status }) => status === 200)
      .reduce((sum, { body }) => sum + chargeOf(body).priceMicro, 0);
    expect(charged).toBeGreaterThan(90 * CENT);
    expect(charged).toBe(100 * CENT - (await balanceOf(caller)));
    expect(await reservedOf(caller)).toBe('0');
  });

  it('does not grow for a key that has ended meanwhile', async () => {
    const caller = await newKey(100);
    stage.fakes.claude.sayNext({ texts: pieces(40), counts: counts(40) });
    await stage.world.db.rows(`create or replace function end_key() returns trigger language plpgsql as $$
      begin update api_key set deleted_at = now() where id = new.key_id; return null; end $$`);
    await stage.world.db.rows(
      `create trigger end_key after insert on charge for each row when (new.key_id is not null) execute function end_key()`,
    );
    try {
      const { body } = await stream(bearer(caller.key));
      expect(body).toContain('"finish_reason":"length"');
      expect(chargeOf(body).priceMicro).toBeLessThan(8.1 * CENT);
    } finally {
      await stage.world.db.rows('drop trigger end_key on charge; drop function end_key');
    }
  });
});
