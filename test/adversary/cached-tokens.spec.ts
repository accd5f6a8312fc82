import { CompatibleStage } from '../compatible/compatible-stage';

/** Cache marks pass to the vendor, which bills what it writes and reads by rates of their own. */
describe('cached tokens', () => {
  let stage: CompatibleStage;

  beforeAll(async () => {
    // Ten times cheaper and twice as dear as other input, as for a cache of an hour.
    stage = await CompatibleStage.start({ cacheReadUsdPerMtok: '0.01', cacheWriteUsdPerMtok: '0.20' });
    await stage.newCaller();
  });

  afterEach(() => stage.tidy());
  afterAll(() => stage.stop());

  const CALL = {
    model: 'claude',
    max_tokens: 9,
    messages: [
      {
        role: 'user',
        content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }],
      },
    ],
  };
  const post = (body: object = CALL) =>
    stage.world.post('/v1/messages', body, { 'x-api-key': stage.caller.key });

  it('are charged at their own rates', async () => {
    stage.fakes.claude.sayNext({ texts: ['Hi.'], counts: { read: 20, written: 5, cached: 40 } });
    const { status } = await post();

    expect(status).toBe(200);
    expect(await stage.spent()).toBe(Math.ceil((20 * 100_000 + 40 * 10_000 + 5 * 400_000) / 1_000_000));
  });

  it('are held at the dearest rate, because the vendor may write the whole prompt into its cache', async () => {
    const { priceMicro } = (await post({ ...CALL, dryRun: true })).body;
    const bytes = Buffer.byteLength(JSON.stringify({ messages: CALL.messages }));

    expect(priceMicro).toBe(Math.ceil((bytes * 200_000 + 9 * 400_000) / 1_000_000));
  });
});
