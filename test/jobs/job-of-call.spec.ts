import { KeyCaller, WalletCaller } from '../support/caller';
import { World } from '../support/world';

const BODY = { prompt: 'a lamp' };
const MARK = 'a mark of one call';

describe('the job of a call, by its Idempotency-Key', () => {
  let world: World;

  beforeAll(async () => {
    world = await World.start();
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const generate = (headers: Readonly<Record<string, string>>) =>
    world.post('/v1/agent/generate', BODY, { ...headers, 'idempotency-key': MARK });
  const jobsOf = async (
    headers: Readonly<Record<string, string>>,
    mark = MARK,
  ): Promise<readonly string[]> => {
    const path = `/v1/agent/jobs?idempotencyKey=${encodeURIComponent(mark)}`;
    const { status, body } = await world.get(path, headers);
    expect(status).toBe(200);
    return (body.jobs as { id: string }[]).map(({ id }) => id);
  };

  it('is found by its payer, and by nobody else who uses the same mark', async () => {
    const [first, second] = await Promise.all([1, 2].map(() => KeyCaller.register(world, 1_000_000n)));
    const [firstKey, secondKey] = [first!, second!].map(({ key }) => ({ 'x-api-key': key }));
    await generate(firstKey!);
    const found = await jobsOf(firstKey!);
    await generate(firstKey!);

    expect(found).toHaveLength(1);
    expect(await jobsOf(firstKey!)).toEqual(found);
    expect(await jobsOf(firstKey!, 'another mark')).toEqual([]);
    expect(await jobsOf(secondKey!)).toEqual([]);
    await generate(secondKey!);
    expect(await jobsOf(secondKey!)).toHaveLength(1);
    expect(await jobsOf(secondKey!)).not.toEqual(found);
  });

  it('is found by a delegated key where the call was its own, and not where it was of its owner', async () => {
    const owner = await KeyCaller.register(world, 1_000_000n);
    const headers = { 'x-api-key': owner.key };
    const body = { limitMicro: 500_000, expiresInSeconds: 600 };
    const { key } = (await world.post('/v1/agent/keys', body, headers)).body as { key: string };
    await generate(headers);

    expect(await jobsOf({ 'x-api-key': key })).toEqual([]);
    await generate({ 'x-api-key': key });
    expect(await jobsOf({ 'x-api-key': key })).toHaveLength(1);
    expect(await jobsOf(headers)).toHaveLength(1);
  });

  it('is found by the wallet that has paid it', async () => {
    const caller = await new WalletCaller().fund(world, 1_000_000n);
    const signedIn = async () => ({ 'sign-in-with-x': await caller.signIn(world) });
    await generate(await signedIn());

    expect(await jobsOf(await signedIn())).toHaveLength(1);
  });

  it('is no mark that is too long, and none of what a database cannot read', async () => {
    const { key } = await KeyCaller.register(world, 1n);
    const odd = await world.get('/v1/agent/jobs?idempotencyKey=a%00b', { 'x-api-key': key });
    expect(odd.status).toBeLessThan(500);
    const { status } = await world.get(`/v1/agent/jobs?idempotencyKey=${'x'.repeat(201)}`, {
      'x-api-key': key,
    });

    expect(status).toBe(400);
  });
});
