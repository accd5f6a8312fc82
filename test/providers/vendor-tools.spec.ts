import { Catalog } from '#models/catalog/catalog';
import { micro } from '#kernel/money';
import { FakeFal } from '../support/fake-fal';
import { FakeOpenai } from '../support/fake-openai';
import { ListingVendor } from '../support/listing-vendor';
import { realVendors } from '../../tools/vendors/real-vendors';
import { tryMedia } from '../../tools/vendors/media-try';
import { listChangesOf } from '../../tools/vendors/list-changes';
import { tryText } from '../../tools/vendors/vendor-try';

const KEY = 'a-secret-key-of-the-router-0123456789';
const MARKUP = { times: 5n, over: 4n };

describe('the tools for vendors', () => {
  let vendor: ListingVendor;

  beforeEach(async () => {
    vendor = await new ListingVendor().start();
  });
  afterEach(() => vendor.stop());

  const real = () =>
    realVendors({
      ANTHROPIC_API_KEY: 'a-key-of-anthropic-0123456789',
      ANTHROPIC_BASE_URL: `${vendor.origin}/v1`,
      OPENAI_COMPATIBLE_SERVERS: 'router',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      ROUTER_API_KEY: KEY,
    });
  const own = (name: string) => {
    const { vendors, providers } = real();
    return { settings: vendors.find((each) => each.name === name)!, providers };
  };
  const priced = (id: string, prompt: string) => ({ id, pricing: { prompt, completion: prompt } });

  it('report models that are new, gone or dearer than the book, and vendors that do not answer', async () => {
    vendor.sells(
      'claude-opus-5',
      'claude-haiku-4-5-20251001',
      'claude-epos-9',
      priced('claude-sonnet-4-6', '0.0001'),
    );
    const { settings } = own('anthropic');
    const changes = await listChangesOf(settings);
    expect(changes.filter(({ kind }) => kind === 'new').map(({ text }) => text)).toEqual([
      expect.stringMatching(/^claude-epos-9: the book/),
    ]);
    const gone = changes.filter(({ kind }) => kind === 'gone').map(({ text }) => text);
    expect(gone).toContainEqual(expect.stringMatching(/^claude-sonnet-5, a route of /));
    // Its maker lists only the name of the release.
    expect(gone).not.toContainEqual(expect.stringMatching(/^claude-haiku-4-5,/));
    const dearer = (await listChangesOf(own('router').settings)).filter(({ kind }) => kind === 'dearer');
    expect(dearer.map(({ text }) => text)).toContain(
      'claude-sonnet-4-6: input is $100.000000 there and $3.000000 in the book',
    );
    vendor.status = 500;
    expect(await listChangesOf(settings)).toMatchObject([{ kind: 'away', vendor: 'anthropic' }]);
  });

  it('make the cheapest call within a budget, and print what it cost, but no key', async () => {
    vendor.sells(priced('maker/dear', '0.0001'), priced('maker/cheap', '0.000001'));
    const { settings, providers } = own('router');
    const text = providers.text('router');
    const none = await tryText(settings, text, micro(1n), MARKUP);
    expect(none).toMatchObject({ spent: 0n, hasFailed: false });
    expect(none.lines[0]).toMatch(/above the budget/);
    expect(vendor.asked).toEqual([]);

    const { lines, spent, hasFailed } = await tryText(settings, text, micro(1_000n), MARKUP);
    expect([vendor.asked, hasFailed, spent]).toEqual([['maker/cheap'], false, 164n]);
    expect(lines.join('\n')).toMatch(/request .*maker\/cheap[^]*answer "Hi\."[^]*"promptTokens":20/);
    expect(lines.at(-1)).toMatch(/by the book \$0\.000120; here \$0\.000150/);

    vendor.failsWith = 500;
    const logs = jest.spyOn(process.stdout, 'write');
    const refused = await tryText(settings, text, micro(1_000n), MARKUP);
    expect([refused.hasFailed, refused.lines]).toEqual([true, ['router: failed: it answered 500']]);
    expect(logs).not.toHaveBeenCalled();
    logs.mockRestore();
    vendor.failsWith = undefined;
    vendor.list = () => ({ error: { message: `The key ${KEY} is wrong` } });
    const failed = await tryText(settings, text, micro(1_000n), MARKUP);
    expect([failed.hasFailed, failed.lines.join()]).toEqual([true, expect.not.stringContaining(KEY)]);
    await providers.onApplicationShutdown();
  });

  it('make the cheapest call of each kind of medium and sound, as far as the budget goes', async () => {
    const [openai, fal] = await Promise.all([FakeOpenai.start(), FakeFal.start()]);
    const { vendors, providers, settings } = realVendors({ ...openai.env, ...fal.env });
    const catalog = new Catalog(settings);
    const tryAt = (name: string, budget: bigint) =>
      tryMedia(
        vendors.find((each) => each.name === name)!,
        catalog,
        { media: providers.media(name), audio: providers.audio(name) },
        micro(budget),
        settings.price,
      );
    const none = await tryAt('openai', 1n);
    expect([none.spent, none.hasFailed, openai.speeches.length]).toEqual([0n, false, 0]);
    expect(none.lines).toContainEqual(expect.stringMatching(/^openai t2i: costs .* above the budget$/));

    const all = await tryAt('openai', 1_000_000n);
    expect(all.lines.join('\n')).toMatch(
      /openai transcription: answer "The lamps are lit\."[^]*openai speech: answer \d+ bytes[^]*openai t2i: answer \d+ bytes/,
    );
    expect([all.hasFailed, openai.speeches.length, openai.recordings.length]).toEqual([false, 1, 1]);
    expect(all.lines.join('\n')).not.toContain(openai.key);
    // The picture costs what its tokens cost, and sells at the price of its model, whichever vendor makes it.
    const bill = 520n;
    expect(all.lines).toContain(
      'openai t2i: bill of the vendor $0.000520; by the catalog $0.011000; here $0.064616',
    );
    const others = (await tryAt('openai', 10_000n)).spent;
    expect([all.spent, others > 0n]).toEqual([others + bill, true]);

    // The cheapest picture at fal, but no film.
    const picture = await tryAt('fal', 4_000n);
    expect(picture.lines.join('\n')).toMatch(/fal t2i: answer http/);
    expect(fal.accepted.map(({ model }) => model)).toEqual(['fal-ai/flux/schnell']);
    expect(picture.lines).toContainEqual(expect.stringMatching(/^fal t2v: costs .* above the budget$/));
    await Promise.all([openai.stop(), fal.stop(), providers.onApplicationShutdown()]);
  });
});
