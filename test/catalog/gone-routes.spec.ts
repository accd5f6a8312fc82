import { OUTSIDE_CHECKS } from '#faces/doctor/outside-checks';
import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { KeyCaller } from '../support/caller';
import { ListingVendor } from '../support/listing-vendor';
import { captureLog } from '../support/log-lines';
import { World } from '../support/world';

const ADMIN = { authorization: 'Bearer an-admin-token-for-tests' };
const CHAT = { max_tokens: 20, messages: [{ role: 'user', content: 'Hi' }] };

describe('a model of the catalog whose vendors do not have it', () => {
  let vendor: ListingVendor;
  let world: World;

  const ask = () => world.app.get(VendorLists, { strict: false }).ask();
  const ids = async () =>
    ((await world.get('/v1/agent/models')).body.textModels as { id: string }[]).map(({ id }) => id);
  const line = async (id: string) =>
    ((await world.get('/v1/admin/models', ADMIN)).body.models as { id: string }[]).find(
      (model) => model.id === id,
    );
  const chat = ({ key }: KeyCaller, body: object) =>
    world.post('/v1/chat/completions', { ...CHAT, ...body }, { 'x-api-key': key });
  const charges = () => world.db.rows('select from charge');

  beforeEach(async () => {
    vendor = await new ListingVendor().start();
    vendor.sells('claude-haiku-4-5-20251001', 'claude-opus-5-5');
    world = await World.start({
      ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
      ANTHROPIC_BASE_URL: `${vendor.origin}/v1`,
      ALLOW_SANDBOX_MIX: 'true',
    });
  });
  afterEach(async () => {
    await world.expectBooksToBalance();
    await world.stop();
    await vendor.stop();
  });

  it('is not for sale, with the reason for the operator, until a list has it again', async () => {
    vendor.sells('claude-haiku-4-5-20251001', 'claude-opus-5-5', 'claude-sonnet-5');
    await ask();
    expect(await ids()).toContain('lumen-frontier');
    const { lines } = captureLog(world);
    vendor.sells('claude-haiku-4-5-20251001', 'claude-opus-5-5');
    await ask();
    expect(await ids()).toEqual(expect.arrayContaining(['lumen-code', 'lumen-ultra']));
    expect(await ids()).not.toContain('lumen-frontier');
    const why = 'the list of anthropic has no claude-sonnet-5';
    expect(await line('lumen-frontier')).toMatchObject({
      forSale: false,
      why,
      routes: [{ provider: 'anthropic', model: 'claude-sonnet-5', isGone: true }],
    });
    expect(lines.join('\n')).toContain(`lumen-frontier (${why})`);

    const caller = await KeyCaller.register(world, 1_000_000n);
    const { status, body } = await chat(caller, { model: 'lumen-frontier' });
    expect([status, body.error]).toMatchObject([503, { code: 'NOT_OFFERED', retryable: false }]);
    expect(await charges()).toEqual([]);

    vendor.status = 500; // A vendor that is away changes nothing.
    await ask();
    expect(await ids()).not.toContain('lumen-frontier');
    vendor.status = 200;
    vendor.sells('claude-haiku-4-5-20251001', 'claude-opus-5-5', 'claude-sonnet-5');
    await ask();
    expect(await ids()).toContain('lumen-frontier');
  });

  it('is named by the doctor', async () => {
    const { text } = await OUTSIDE_CHECKS['models']!(world.settings);
    expect(text).toContain('no vendor has lumen-frontier (the list of anthropic has no claude-sonnet-5)');
    vendor.status = 500;
    expect((await OUTSIDE_CHECKS['models']!(world.settings)).text).not.toContain('lumen-frontier');
  });

  it('is no default', async () => {
    vendor.sells('claude-opus-5-5');
    await ask();
    const caller = await KeyCaller.register(world, 1_000_000n);
    expect((await chat(caller, {})).status).toBe(200);
    expect(vendor.asked).toEqual(['claude-opus-5-5']);
  });

  it('is refused without a retry if only a call shows it, and the log names model and route', async () => {
    await ask();
    vendor.lacks = ['claude-opus-5-5'];
    const { lines } = captureLog(world);
    const caller = await KeyCaller.register(world, 1_000_000n);
    const { status, body } = await chat(caller, { model: 'lumen-ultra' });
    expect([status, body.error]).toMatchObject([503, { code: 'NOT_OFFERED', retryable: false }]);
    expect(lines.map((each) => JSON.parse(each) as object)).toContainEqual(
      expect.objectContaining({ model: 'lumen-ultra', routes: ['anthropic claude-opus-5-5'] }),
    );
    const { balanceMicro } = (await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body;
    expect(balanceMicro).toBe(1_000_000);
  });

  it('is sold if the list has none of the models of the catalog, because a gateway may serve more than it lists', async () => {
    const gateway = await new ListingVendor().start();
    gateway.sells('our-own-name');
    const other = await World.start({
      ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
      ANTHROPIC_BASE_URL: `${gateway.origin}/v1`,
      ALLOW_SANDBOX_MIX: 'true',
    });
    await other.app.get(VendorLists, { strict: false }).ask();
    const caller = await KeyCaller.register(other, 1_000_000n);
    const { status } = await other.post(
      '/v1/chat/completions',
      { ...CHAT, model: 'lumen-ultra' },
      { 'x-api-key': caller.key },
    );
    expect(status).toBe(200);
    expect(gateway.asked).toEqual(['claude-opus-5-5']);
    await other.expectBooksToBalance();
    await other.stop();
    await gateway.stop();
  });
});
