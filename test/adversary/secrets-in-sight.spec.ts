import { randomBytes } from 'node:crypto';

import { Lamppost } from '../../clients/typescript/src/lamppost';
import { freePort } from '../../tools/chain/free-port';
import { signedPayment } from '../contract/rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { catalogOf, pictureEntry, textEntry } from '../support/catalogs';
import { expectEventually } from '../support/eventually';
import { FakeOpenai } from '../support/fake-openai';
import { captureLog } from '../support/log-lines';
import { World } from '../support/world';
import { Receiver } from '../webhooks/receiver';

const ASK = { messages: [{ role: 'user', content: 'a-prompt-of-mine' }], max_tokens: 16 };

/** An attacker reads logs, metrics, errors or a dump of the database, and looks for something to use. */
describe('a reader of what is left behind', () => {
  let world: World;
  let openai: FakeOpenai;
  let receiver: Receiver;
  let lines: readonly string[];
  let baseUrl: string;
  /** The secrets of the calls, by kind. */
  const secrets: Record<string, string> = { prompt: 'a-prompt-of-mine' };
  const answers: string[] = [];

  beforeAll(async () => {
    [openai, receiver] = [await FakeOpenai.start(), await new Receiver().start()];
    const port = await freePort();
    const own = Object.fromEntries(
      ['SIGNING_SECRET', 'SIGNING_SECRET_PREVIOUS', 'ADMIN_TOKEN', 'METRICS_TOKEN'].map((name) => [
        name,
        randomBytes(24).toString('hex'),
      ]),
    );
    const ann = randomBytes(24).toString('hex');
    world = await World.start({
      ...openai.env,
      ...own,
      ...catalogOf(
        [pictureEntry('picture', ['openai:gpt-image-1', 'sandbox:image'])],
        [textEntry('words', ['openai:gpt-4.1-nano'])],
      ),
      ADMIN_TOKENS: `ann:all:${ann}`,
      ALLOW_SANDBOX_MIX: 'true',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      FETCH_ALLOW_HOSTS: `127.0.0.1,${openai.host}`,
    });
    Object.assign(secrets, own, { ann, 'key of a vendor': openai.env['OPENAI_API_KEY'] });
    ({ lines } = captureLog(world));
    baseUrl = await world.listen(port);
    await live();
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([openai.stop(), receiver.stop()]);
  });

  const record = async (asked: Promise<unknown>): Promise<void> =>
    void answers.push(JSON.stringify(await asked.catch((error: unknown) => error)));

  /** As much as callers do in a long while, well and badly. */
  const live = async (): Promise<void> => {
    const caller = await KeyCaller.register(world, 10_000_000n);
    const wallet = await new WalletCaller().fund(world, 1_000_000n);
    const signIn = await wallet.signIn(world);
    const payment = await signedPayment(world, new WalletCaller(), ASK);
    const client = new Lamppost({ baseUrl, key: caller.key, tries: 1 });
    const made = await client.delegated.create({ limitMicro: 100_000, expiresInSeconds: 600 });
    await client.chat('a-prompt-of-mine', { idempotencyKey: 'a mark of mine' });
    const { secret } = await client.webhooks.create({ url: receiver.url, types: ['job.done'] });
    const [, session = ''] = caller.cookie.split('=');
    Object.assign(secrets, { key: caller.key, handed: made.key, signIn, payment, webhook: secret, session });
    await client.image('a-prompt-of-mine');
    await record(world.post('/v1/agent/chat', ASK, { 'payment-signature': payment }));
    await record(world.post('/v1/agent/chat', ASK, { 'sign-in-with-x': signIn }));
    await record(world.post('/v1/agent/chat', { ...ASK, max_tokens: -1 }, { 'x-api-key': caller.key }));
    await record(world.post('/v1/agent/chat', ASK, { 'x-api-key': `${caller.key}x` }));
    await record(world.post('/v1/agent/chat', `{"key":"${caller.key}"`, { 'x-api-key': made.key }));
    await record(world.get(`/v1/agent/charges/${caller.key}`, { 'x-api-key': caller.key }));
    await record(world.get('/v1/account/keys', { cookie: caller.cookie }));
    await record(
      world.post('/v1/account/sign-in', { email: 'nobody@example.test', password: 'correct horse battery' }),
    );
    await record(world.get('/v1/admin/audit', { authorization: `Bearer ${secrets['ann']}` }));
    await record(world.get('/v1/admin/audit', { authorization: `Bearer ${secrets['ann']}x` }));
    openai.failNext('chat', 401, 'garbage', 'reset');
    openai.failNext('image', 500, 'garbage');
    for (let time = 0; time < 3; time += 1) await record(client.chat('a-prompt-of-mine'));
    await record(client.image('a-prompt-of-mine'));
    await world.db.rows(`select 'a statement of ours' as text, 1 / 0`).catch(() => undefined);
    await expectEventually(() => receiver.received.length > 0);
    secrets['password'] = 'correct horse battery';
  };

  const foundIn = (text: string, left: readonly string[] = []): readonly string[] =>
    Object.entries(secrets)
      .filter(
        ([name, secret]) =>
          !left.includes(name) &&
          (text.includes(secret) || text.includes(Buffer.from(secret).toString('hex'))),
      )
      .map(([name]) => name);

  it('finds no secret and no prompt in the log, however fine', () => {
    expect(lines.length).toBeGreaterThan(20);
    expect(foundIn(lines.join('\n'))).toEqual([]);
  });

  it('finds none in the metrics', async () => {
    const { body, status } = await world.get('/metrics', {
      authorization: `Bearer ${secrets['METRICS_TOKEN']}`,
    });

    expect([status, foundIn(String(body))]).toEqual([200, []]);
  });

  it('finds none in what callers and operators are answered', () => {
    expect(foundIn(answers.join('\n'), ['prompt'])).toEqual([]);
  });

  it('finds no working credential in a dump of the database', async () => {
    const tables = await world.db.rows<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'bullmq')`,
    );
    const rows = await Promise.all(
      tables.map(({ name }) => world.db.rows<{ row: string }>(`select one::text as row from ${name} one`)),
    );
    const dump = rows
      .flat()
      .map(({ row }) => row)
      .join('\n');

    expect(tables.length).toBeGreaterThan(20);
    expect(foundIn(dump, ['prompt'])).toEqual([]);
  });
});
