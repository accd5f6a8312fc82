import {
  Lamppost,
  type WebhookProof,
  type WebhookRecipient,
  isGenuineWebhook,
} from '../../clients/typescript/src/lamppost';
import { freePort } from '../../tools/chain/free-port';
import { signedPayment } from '../contract/rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { expectEventually } from '../support/eventually';
import { cloneDatabase } from '../support/postgres';
import { World } from '../support/world';
import { Receiver } from '../webhooks/receiver';

const OLD = { SIGNING_SECRET: 'the-old-secret-0123456789-abcdefghijkl' };
const NEW = 'the-new-secret-0123456789-abcdefghijkl';
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ASK = { messages: [{ role: 'user', content: 'Hello.' }], max_tokens: 16 };

describe('a signing secret that changes', () => {
  let world: World;
  let receiver: Receiver;
  let port: number;
  let url: string;
  let database: string;

  const start = async (env: Readonly<Record<string, string>>): Promise<void> => {
    world = await World.start({
      DATABASE_URL: database,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      FETCH_ALLOW_HOSTS: '127.0.0.1',
      ...env,
    });
    url = await world.listen(port);
  };
  const restart = async (env: Readonly<Record<string, string>>): Promise<void> => {
    await world.stop();
    await start(env);
  };

  beforeEach(async () => {
    [database, port, receiver] = [await cloneDatabase(), await freePort(), await new Receiver().start()];
    await start(OLD);
  });
  afterEach(async () => {
    await world.expectBooksToBalance();
    await world.stop();
    await receiver.stop();
  });

  it('ends nothing that was made with the one before, and leaves nothing that needs it', async () => {
    const { key, cookie } = await KeyCaller.register(world, 10_000_000n);
    const owner = new Lamppost({ baseUrl: url, key });
    const account = new Lamppost({ baseUrl: url, session: cookie });
    const idempotencyKey = 'made before the change';
    const first = await owner.chat('Hello.', { idempotencyKey });
    const receipt = await owner.receipts.get(first.charge.id);
    const { quoteId, priceMicro } = await owner.quote({ modelId: 'ember-image', prompt: 'x' });
    const { secret } = await owner.webhooks.create({ url: receiver.url, types: ['job.done'] });
    const publicKey = await publicKeyOf(world);
    const reference = await owner.references.store(PIXEL, { label: 'a dot' });
    const handedOn = { limitMicro: 1_000, expiresInSeconds: 3_600 };
    const mark = { 'x-api-key': key, 'idempotency-key': 'a key of before' };
    const child = await world.post('/v1/agent/keys', handedOn, mark);
    const payment = await signedPayment(world, new WalletCaller(), ASK, { url: '/v1/agent/chat' });

    await restart({ SIGNING_SECRET: NEW, SIGNING_SECRET_PREVIOUS: OLD.SIGNING_SECRET });
    const paid = await world.post('/v1/agent/chat', ASK, { 'payment-signature': payment });
    const again = await owner.chat('Hello.', { idempotencyKey });
    const locked = await owner.image('x', { modelId: 'ember-image', quoteId });

    expect([paid.status, again.text, again.charge.id, locked.charge.micro]).toEqual([
      200,
      first.text,
      first.charge.id,
      priceMicro,
    ]);
    expect(await owner.receipts.verify(receipt)).toBe(true);
    expect(await owner.receipts.verify(await owner.receipts.get(first.charge.id))).toBe(true);
    expect((await account.keys.list()).length).toBeGreaterThan(0);
    expect((await world.post('/v1/agent/keys', handedOn, mark)).body.key).toBe(child.body.key);
    expect((await fetch(reference.url)).status).toBe(200);
    await expectEventually(() => receiver.received.length === 1);
    const { recipient } = JSON.parse(receiver.received[0]!.body) as { recipient: WebhookRecipient };
    const proofs: WebhookProof[] = [
      { secret },
      { publicKey, recipient },
      { publicKey: await publicKeyOf(world), recipient },
    ];
    for (const proof of proofs) expect(await isGenuineWebhook(receiver.received[0]!, proof)).toBe(true);

    await restart({ SIGNING_SECRET: NEW });
    await owner.image('x');
    await expectEventually(() => receiver.received.length === 2);
    expect(await isGenuineWebhook(receiver.received[1]!, { secret })).toBe(true);
    await expect(account.keys.list()).rejects.toMatchObject({ status: 401 });
  });

  it('is accepted by those who still sign with the old one, so that processes can change one after another', async () => {
    await restart({ SIGNING_SECRET: NEW, SIGNING_SECRET_PREVIOUS: OLD.SIGNING_SECRET });
    const { cookie, key } = await KeyCaller.register(world, 10_000_000n);
    const owner = new Lamppost({ baseUrl: url, key });
    const { quoteId } = await owner.quote({ modelId: 'ember-image', prompt: 'x' });

    await restart({ ...OLD, SIGNING_SECRET_PREVIOUS: NEW });
    await owner.image('x', { modelId: 'ember-image', quoteId });
    expect((await new Lamppost({ baseUrl: url, session: cookie }).keys.list()).length).toBe(1);
  });
});

const publicKeyOf = async (world: World): Promise<string> => {
  const guide = (await world.get('/v1/agent/guide.md')).body as string;
  return /whpk_[\w+/=]+/.exec(guide)?.[0] ?? '';
};
