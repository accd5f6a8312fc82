import { ChargeService } from '#money/billing/calls/charge.service';
import { signedPayment } from '../contract/rail-callers';
import { KeyCaller, WalletCaller } from '../support/caller';
import { type Answer, World } from '../support/world';

type Headers = Readonly<Record<string, string>>;

const FUNDS = 50_000_000n;
const TAG = 'campaign/42 "søndag" 🦊';
const JOB = /^job_[\w-]{31}$/;

describe("an owner's own jobs", () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });

  afterEach(() => world.expectBooksToBalance());

  afterAll(() => world.stop());

  const make = (headers: Headers, body: object = {}): Promise<Answer> =>
    world.post('/v1/agent/generate', { prompt: 'a lamp', ...body }, headers);

  const list = async (headers: Headers, query = ''): Promise<Answer['body']> =>
    (await world.get(`/v1/agent/jobs${query}`, headers)).body;

  const prompts = (tags: readonly (string | undefined)[], headers: Headers) =>
    tags.reduce(async (before, tag) => {
      await before;
      await make(headers, { tag });
    }, Promise.resolve());

  it('are listed newest first, a page after the other, each once', async () => {
    const { key, cookie } = await KeyCaller.register(world, FUNDS);
    await prompts(['a', 'b', 'c', 'd', 'e'], { 'x-api-key': key });

    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Answer['body'] = await list({ cookie }, `?limit=2&cursor=${cursor}`);
      seen.push(...page.jobs.map(({ tag }: { tag: string }) => tag));
      cursor = page.nextCursor;
    }

    expect(seen).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect((await list({ 'x-api-key': key }, '?limit=5')).nextCursor).toBeNull();
  });

  it('are found by their tag and by how they are', async () => {
    const { key } = await KeyCaller.register(world, FUNDS);
    const headers = { 'x-api-key': key };
    await prompts([TAG, undefined, 'other'], headers);
    await make(headers, { prompt: 'waves [[delay 600s]]', duration: 4, tag: TAG });

    const tagged = await list(headers, `?tag=${encodeURIComponent(TAG)}`);
    const running = await list(headers, `?tag=${encodeURIComponent(TAG)}&status=running`);
    const failed = await list(headers, '?status=failed');

    expect(tagged.jobs).toMatchObject([
      { status: 'running', tag: TAG, kind: 'video', cancellable: true },
      { status: 'done', tag: TAG, kind: 'image', cancellable: false, id: expect.stringMatching(JOB) },
    ]);
    expect(running.jobs).toHaveLength(1);
    expect(failed.jobs).toEqual([]);
  });

  it('have the states that they show: a refunded one has failed', async () => {
    const { key } = await KeyCaller.register(world, FUNDS);
    const headers = { 'x-api-key': key };
    await make(headers);
    const [{ id }] = (await list(headers)).jobs as [{ id: string }];
    const charges = world.app.get(ChargeService, { strict: false });
    const row = await world.db.one<{ charge_id: string }>('select charge_id from job where id = $1', [id]);
    expect((await list(headers, '?status=done')).jobs).toHaveLength(1);

    await charges.refund((await charges.find(row!.charge_id))!);

    expect((await list(headers, '?status=done')).jobs).toEqual([]);
    expect((await list(headers, '?status=failed')).jobs).toMatchObject([{ id, errorCode: 'REFUNDED' }]);
  });

  it('are nobody else’s to see', async () => {
    const owner = await KeyCaller.register(world, FUNDS);
    const neighbour = await KeyCaller.register(world, FUNDS);
    await make({ 'x-api-key': owner.key }, { tag: 'shared' });
    const [{ id }] = (await list({ 'x-api-key': owner.key })).jobs as [{ id: string }];

    expect(await list({ 'x-api-key': neighbour.key }, '?tag=shared')).toEqual({ jobs: [], nextCursor: null });
    expect(await list({ 'x-api-key': neighbour.key }, `?cursor=${id}z`)).toMatchObject({ jobs: [] });
    expect((await world.get('/v1/agent/jobs')).body.error.code).toBe('MISSING_CREDENTIALS');
  });

  it('of a wallet are those of its balance and those that it has paid by x402', async () => {
    const wallet = await new WalletCaller().fund(world, FUNDS);
    const signIn = { 'sign-in-with-x': await wallet.signIn(world) };
    const body = { prompt: 'a lamp', tag: 'by x402' };
    const payment = await signedPayment(world, wallet, body, { url: '/v1/agent/generate' });
    const paid = await world.post('/v1/agent/generate', body, { 'payment-signature': payment });
    await make(signIn, { tag: 'by balance' });

    const { jobs } = await list(signIn);
    const receipt = await world.get(`/v1/agent/charges/${paid.headers['x-charge-id']}`);

    expect(jobs).toMatchObject([
      { tag: 'by balance', chargeState: 'charged' },
      { tag: 'by x402', chargeState: 'charged' },
    ]);
    expect(receipt.body).toMatchObject({ tag: 'by x402', rail: 'x402', jobId: jobs[1].id });
    expect(jobs[1].chargeId).toBe(receipt.body.id);
    expect((await world.get(`/v1/agent/jobs/${jobs[1].id}`)).body.chargeId).toBeUndefined();
  });

  it('and texts carry their tag to the receipt, streamed ones too', async () => {
    const { key } = await KeyCaller.register(world, FUNDS);
    const headers = { 'x-api-key': key };
    const messages = [{ role: 'user', content: 'Say hello.' }];

    const answers = await Promise.all([
      world.post('/v1/agent/chat', { messages, max_tokens: 16, tag: TAG }, headers),
      world.post('/v1/chat/completions', { messages, max_tokens: 16, tag: TAG }, headers),
      world.post('/v1/chat/completions', { messages, max_tokens: 16, tag: TAG, stream: true }, headers),
    ]);
    const receipts = await Promise.all(
      answers.map(({ headers: { 'x-charge-id': id } }) => world.get(`/v1/agent/charges/${id}`)),
    );

    expect(receipts.map(({ body }) => body.tag)).toEqual([TAG, TAG, TAG]);
  });

  it.each([['x'.repeat(65)], [''], ['a\u0000b'], ['\ud800'], [7]])(
    'refuse a tag that is none: %j',
    async (tag) => {
      const { key } = await KeyCaller.register(world, FUNDS);

      const answer = await make({ 'x-api-key': key }, { tag });

      expect(answer.body.error).toMatchObject({ code: 'INVALID_REQUEST', param: 'tag' });
    },
  );

  it.each([
    ['status', '?status=cancelled'],
    ['limit', '?limit=0'],
    ['limit', '?limit=201'],
    ['cursor', `?cursor=${'x'.repeat(61)}`],
    ['tag', '?tag=a&tag=b'],
  ])('refuse a wrong %s: %s', async (param, query) => {
    const { key } = await KeyCaller.register(world, 0n);

    expect((await list({ 'x-api-key': key }, query)).error).toMatchObject({ param });
  });
});
