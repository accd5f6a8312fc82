import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ChargeService } from '#money/billing/calls/charge.service';
import { openCheckpoint } from '../../clients/typescript/src/checkpoint';
import { isGenuine } from '../../clients/typescript/src/proof';
import { TransparencyProcessor } from '#money/billing/transparency/transparency.processor';
import { TransparencyRepository } from '#money/billing/transparency/transparency.repository';
import { ReconciliationProcessor } from '#money/billing/sweeps/reconciliation.processor';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { LogChecker } from '../support/log-checker';
import { CHAT_URL, signedPayment } from '../contract/rail-callers';
import { World } from '../support/world';

const CHAT = { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 };
const folder = (): string => mkdtempSync(join(tmpdir(), 'transparency-'));

describe('the transparency log', () => {
  let world: World;

  const seal = (of = world): Promise<void> => of.app.get(TransparencyProcessor, { strict: false }).run();
  const chat = async (caller: KeyCaller, words = 'Say hello.', of = world) => {
    const answer = await of.post(
      CHAT_URL,
      { ...CHAT, messages: [{ role: 'user', content: words }] },
      { 'x-api-key': caller.key },
    );
    expect(answer.status).toBe(200);
    return answer.headers['x-charge-id']!;
  };
  const kindsOf = (entries: readonly { readonly entry: { readonly kind: string } }[]): readonly string[] =>
    entries.map(({ entry }) => entry.kind);

  beforeAll(async () => {
    world = await World.start({ DATA_DIR: folder(), ROLE: 'api' });
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('proves the receipt of a charge to its owner, and not the balance to others', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);
    const id = await chat(caller);
    const early = await world.get(`/v1/agent/charges/${id}`, { 'x-api-key': caller.key });

    await seal();

    const checker = await LogChecker.of(world);
    const { body: receipt } = await world.get(`/v1/agent/charges/${id}`, { 'x-api-key': caller.key });
    const { body: strangers } = await world.get(`/v1/agent/charges/${id}`);
    expect(early.body.proof).toBeUndefined();
    expect(receipt.proof.entry).toMatchObject({
      id: `${id}.charged`,
      kind: 'charged',
      owner: caller.accountId,
      balanceMicro: 1_000_000 - receipt.priceMicro,
    });
    await checker.receipt(id, { 'x-api-key': caller.key });
    expect(strangers.proof).toBeUndefined();
    const { body: jwks } = await world.get('/.well-known/jwks.json');
    expect([await isGenuine(receipt, jwks.keys), await isGenuine(strangers, jwks.keys)]).toEqual([
      true,
      true,
    ]);
  });

  it('is caught up with the history although charges end without a pause', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);
    const log = world.app.get(TransparencyRepository, { strict: false });
    await log.db.rows(
      `update transparency_log set is_caught_up = false, charge_cursor = '', account_cursor = ''`,
    );
    const sealOldEnds = log.sealOldEnds.bind(log);
    let batches = 0;
    const spy = jest.spyOn(log, 'sealOldEnds').mockImplementation(async (...given) => {
      batches += 1;
      if (batches > 20) throw new Error('The log follows the charges of now.');
      await chat(caller);
      return sealOldEnds(...given);
    });
    try {
      await seal();
    } finally {
      spy.mockRestore();
    }

    expect(batches).toBe(1);
    expect((await log.current())?.isCaughtUp).toBe(true);
    await (await LogChecker.of(world)).statement({ 'x-api-key': caller.key });
  });

  it('shows the proof of a wallet to everybody, because its ledger is public', async () => {
    const wallet = new WalletCaller();
    const payment = await signedPayment(world, wallet, CHAT);
    const { headers } = await world.post(CHAT_URL, CHAT, { 'payment-signature': payment });

    await seal();

    const checker = await LogChecker.of(world);
    await checker.receipt(headers['x-charge-id']!, {});
    const entries = await checker.statement({ 'sign-in-with-x': await wallet.signIn(world) });
    expect(kindsOf(entries)).toEqual(['charged']);
  });

  it('gives a statement of all that happened, page by page, in its order', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);
    await chat(caller, 'one');
    const made = await world.post(
      '/v1/agent/generate',
      { modelId: 'ember-image', prompt: 'a fox [[fail]]' },
      { 'x-api-key': caller.key },
    );
    await world.post(
      '/v1/chat/completions',
      { model: 'lumen-flash', messages: [{ role: 'user', content: 'hello' }], max_tokens: 64 },
      { 'x-api-key': caller.key },
    );
    await seal();
    await chat(caller, 'two');
    await seal();

    const checker = await LogChecker.of(world);
    const entries = await checker.statement({ 'x-api-key': caller.key }, { limit: '2' });

    const failed = made.headers['x-charge-state'] === 'released' ? ['debit', 'refund', 'released'] : [];
    expect(kindsOf(entries)).toEqual([
      'top_up',
      'debit',
      'charged',
      ...failed,
      'debit',
      'charged',
      'debit',
      'charged',
    ]);
    expect(entries[0]!.entry).toMatchObject({ previous: '', balanceMicro: 1_000_000 });
    const { body: balance } = await world.get('/v1/agent/balance', { 'x-api-key': caller.key });
    expect(entries.at(-1)!.entry.balanceMicro).toBe(balance.balanceMicro);
    const { body: none } = await world.get('/v1/agent/statement?to=2020-01-01T00:00:00Z', {
      'x-api-key': caller.key,
    });
    expect(none).toMatchObject({ entries: [], openingBalanceMicro: 0, closingBalanceMicro: 0 });
    const later = await world.get('/v1/agent/statement?from=2120-01-01T00:00:00Z&to=2121-01-01T00:00:00Z', {
      'x-api-key': caller.key,
    });
    expect(later.body).toMatchObject({ entries: [], openingBalanceMicro: balance.balanceMicro });
  });

  it('has a late refund as an end of its own', async () => {
    const caller = await KeyCaller.register(world, 5_000_000n);
    const made = await world.post(
      '/v1/agent/generate',
      { modelId: 'torch-video', prompt: 'Waves [[fail]]' },
      { 'x-api-key': caller.key },
    );
    expect(made.headers['x-charge-state']).toBe('charged');
    await seal();
    const charges = world.app.get(ChargeService, { strict: false });
    await charges.refund((await charges.find(made.headers['x-charge-id']!))!);
    await seal();

    const checker = await LogChecker.of(world);
    const entries = await checker.statement({ 'x-api-key': caller.key });
    expect(kindsOf(entries)).toEqual(['top_up', 'debit', 'charged', 'refund', 'refunded']);
    await checker.receipt(made.headers['x-charge-id']!, { 'x-api-key': caller.key });
  });

  it.each([
    ['from=yesterday', 'from'],
    ['to=2026-02-30', 'to'],
    ['from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
    ['limit=10001', 'limit'],
    ['cursor=x', 'cursor'],
  ])('refuses a statement of %s', async (query, param) => {
    const caller = await KeyCaller.register(world, 0n);

    const { status, body } = await world.get(`/v1/agent/statement?${query}`, { 'x-api-key': caller.key });

    expect([status, body.error.param]).toEqual([400, param]);
  });

  it('gives no statement to a key that was handed on, nor to nobody', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);
    const { body: child } = await world.post(
      '/v1/agent/keys',
      { name: 'child', limitMicro: 10_000, expiresInSeconds: 600 },
      { 'x-api-key': caller.key },
    );

    expect((await world.get('/v1/agent/statement', { 'x-api-key': child.key })).status).toBe(403);
    expect((await world.get('/v1/agent/statement')).status).toBe(401);
  });

  it('serves tiles that every cache may keep for ever, and none that no checkpoint covers', async () => {
    const caller = await KeyCaller.register(world, 100_000_000n);
    while ((await (await LogChecker.of(world)).checkpoint()).size < 300) {
      await Promise.all(Array.from({ length: 40 }, (_, at) => chat(caller, `call ${at} ${Math.random()}`)));
      await seal();
    }
    const checker = await LogChecker.of(world);
    const { size } = await checker.log();
    const get = (path: string) => world.app.inject({ url: `/transparency/tile/${path}` });

    const full = await get('0/000');
    expect(full.headers['cache-control']).toContain('immutable');
    expect(full.headers['content-type']).toBe('application/octet-stream');
    expect(full.rawPayload.length).toBe(8_192);
    const width = Math.min(size - 256, 255);
    const part = await get(`0/001.p/${width}`);
    const shorter = await get(`0/001.p/${width - 1}`);
    expect(part.rawPayload.subarray(0, -32).equals(shorter.rawPayload)).toBe(true);
    expect((await get('1/000.p/1')).rawPayload.length).toBe(32);
    for (const path of [
      '0/001',
      '0/002.p/1',
      '1/000',
      '2/000.p/1',
      '8/000',
      'x/000',
      '0/00',
      'entries/001',
      '0/000.p/256',
    ])
      expect([path, (await get(path)).statusCode]).toEqual([path, 404]);
    const { headers } = await world.get('/transparency/checkpoint');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(headers['cache-control']).toBe('public, max-age=2');
  });

  it('is named in the manifest, with the key that proves its checkpoints', async () => {
    const { body: manifest } = await world.get('/v1/agent/manifest.json');
    const { body: jwks } = await world.get('/.well-known/jwks.json');
    const { body: logs } = await world.get('/transparency/logs');

    expect(manifest.transparency).toMatchObject({
      logs: `${world.settings.http.publicUrl}/transparency/logs`,
      origin: '127.0.0.1:3999/transparency',
      verifierKeys: logs.logs[0].verifierKeys,
    });
    const [vkey] = logs.logs[0].verifierKeys as readonly string[];
    const bare = Buffer.from(vkey!.split('+').slice(2).join('+'), 'base64').subarray(1);
    expect(jwks.keys).toContainEqual(
      expect.objectContaining({ crv: 'Ed25519', x: bare.toString('base64url') }),
    );
  });

  it('finds nothing wrong where nothing is wrong', async () => {
    const { transparency } = await world.app.get(ReconciliationProcessor, { strict: false }).run();

    expect(transparency).toBe(0n);
  });

  it('is sealed by two processes at once without a gap and without a leaf twice', async () => {
    const DATA_DIR = folder();
    const first = await World.start({ DATA_DIR, ROLE: 'api' });
    const second = await World.start({ DATA_DIR, ROLE: 'api', DATABASE_URL: first.settings.databaseUrl! });
    try {
      const callers = await Promise.all([1, 2, 3, 4].map(() => KeyCaller.register(first, 10_000_000n)));
      const calling = Promise.all(
        callers.map(async (caller, at) => {
          for (let n = 0; n < 20; n += 1) await chat(caller, `${at} ${n}`, n % 2 === 0 ? first : second);
        }),
      );
      const sealing = [first, second].map(async (process) => {
        for (let runs = 0; runs < 20; runs += 1) await seal(process);
      });
      await calling;
      await Promise.all(sealing);
      await seal(first);

      const checker = await LogChecker.of(second);
      const { size } = await checker.log();
      // Each account has a top-up, and each call has a debit and an end.
      expect(size).toBe(4 * (1 + 2 * 20));
      for (const caller of callers) {
        const entries = await checker.statement({ 'x-api-key': caller.key });
        expect(kindsOf(entries)).toHaveLength(41);
      }
      const [row] = await first.db.rows(
        `select count(*)::int as leaves, count(distinct entry_id)::int as entries, max(leaf_index)::int as last from transparency_leaf`,
      );
      expect(row).toEqual({ leaves: size, entries: size, last: size - 1 });
      expect((await first.app.get(ReconciliationProcessor, { strict: false }).run())['transparency']).toBe(
        0n,
      );
    } finally {
      await second.stop();
      await first.stop();
    }
  });

  it('goes on in another cluster, which counts its transactions from the beginning', async () => {
    const caller = await KeyCaller.register(world, 1_000_000n);
    await chat(caller, 'before');
    await world.db.rows('update transparency_log set since = 1000000000000');
    await chat(caller, 'behind');

    await seal();

    const entries = await (await LogChecker.of(world)).statement({ 'x-api-key': caller.key });
    expect(kindsOf(entries).toSorted()).toEqual(['charged', 'charged', 'debit', 'debit', 'top_up']);
  });

  it('is signed by both keys while the signing secret changes', async () => {
    const DATA_DIR = folder();
    const before = await World.start({ DATA_DIR, ROLE: 'api' });
    const caller = await KeyCaller.register(before, 1_000_000n);
    const id = await chat(caller, 'one', before);
    await seal(before);
    const old = await LogChecker.of(before);
    const { databaseUrl, signingSecret } = before.settings;
    const during = await World.start({
      DATA_DIR,
      ROLE: 'api',
      DATABASE_URL: databaseUrl!,
      SIGNING_SECRET: 'another-secret-for-tests-0123456789abcdef',
      SIGNING_SECRET_PREVIOUS: signingSecret!,
    });
    try {
      await chat(caller, 'two', before);
      await seal(during);

      const fresh = await LogChecker.of(during);
      expect(fresh.verifiers).toHaveLength(2);
      for (const verifiers of [old.verifiers, fresh.verifiers.slice(0, 1)]) {
        const { body } = await during.get('/transparency/checkpoint');
        expect((await openCheckpoint(body, verifiers)).size).toBe(5);
      }
      await fresh.receipt(id, { 'x-api-key': caller.key });
    } finally {
      await during.stop();
      await before.stop();
    }
  });

  it('runs by itself where there are workers', async () => {
    const alone = await World.start({ DATA_DIR: folder() });
    try {
      const caller = await KeyCaller.register(alone, 1_000_000n);
      const id = await chat(caller, 'hello', alone);
      await expectEventually(
        async () =>
          (await alone.get(`/v1/agent/charges/${id}`, { 'x-api-key': caller.key })).body.proof !== undefined,
      );
      await expectEventually(async () =>
        /^lamppost_transparency_sealed_at_seconds 1[\d.]+/m.test(
          (await alone.get('/metrics')).body as string,
        ),
      );
    } finally {
      await alone.stop();
    }
  });
});
