import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { FakeFal } from '../support/fake-fal';
import { FakeGemini } from '../support/fake-gemini';
import { FakeOpenai } from '../support/fake-openai';
import {
  AXE,
  DISPLAYS,
  Pages,
  SHIFTS,
  type Visitor,
  describeInBrowser,
  expectSoon,
  expectToSee,
} from '../support/pages';

const PRO = 'gemini-3-pro-image';
const FILM = 'veo-3.1-generate-preview';
const QUALITIES = 'fal-ai/gpt-image-1.5';

const pageOf = (id: string): string => `/models/${encodeURIComponent(id)}`;

describeInBrowser('the pages with the media of makers, in a browser', () => {
  let openai: FakeOpenai;
  let gemini: FakeGemini;
  let fal: FakeFal;
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    [openai, gemini, fal] = await Promise.all([FakeOpenai.start(), FakeGemini.start(), FakeFal.start()]);
    openai.listed = ['gpt-image-1', 'tts-1', 'whisper-1'];
    gemini.listed = [PRO, `${PRO}-preview`, FILM];
    pages = await Pages.open({ ...openai.env, ...gemini.env, ...fal.env, ALLOW_SANDBOX_MIX: 'true' });
    await pages.world.app.get(VendorLists, { strict: false }).ask();
  });
  beforeEach(async () => {
    visitor = await pages.visitor({ width: 1440 });
  });
  afterEach(() => pages.expectPeace());
  afterAll(async () => {
    await pages.close();
    await Promise.all([openai.stop(), gemini.stop(), fal.stop()]);
  });

  const open = async (path: string): Promise<void> => {
    await visitor.open(path);
    await visitor.waitUntilLoaded();
  };
  const textOf = (name: string): Promise<string[]> =>
    visitor.page.getByRole('table', { name, exact: true }).locator('tbody .mono').allInnerTexts();
  const optionsOf = (label: string): Promise<string[]> =>
    visitor.page.getByLabel(label, { exact: true }).locator('option').allInnerTexts();

  it('find each word of a search, and models of audio by search and by kind', async () => {
    const { page } = visitor;
    await open('/models');
    const search = page.getByRole('searchbox', { name: 'Search' });
    await search.fill(' image  gemini ');
    await expectSoon(
      async () => (await textOf('Models')).toSorted(),
      [PRO, `${PRO}-preview`, `${PRO}-preview/edit`, `${PRO}/edit`],
    );
    for (const [wanted, id] of [
      ['tts', 'tts-1'],
      ['whisper', 'whisper-1'],
    ] as const) {
      await search.fill(wanted);
      await expectSoon(() => textOf('Audio'), [id]);
      await expectSoon(() => page.getByRole('table', { name: 'Models', exact: true }).count(), 0);
    }
    await search.fill('');
    await page.getByLabel('Kind').selectOption('Audio');
    await expectSoon(
      async () => (await textOf('Audio')).toSorted(),
      ['echo-voice', 'echo-voice-studio', 'scribe', 'tts-1', 'whisper-1'],
    );
    await page.getByLabel('Sort by').selectOption('Price');
    await expectSoon(async () => (await textOf('Audio')).slice(-2), ['whisper-1', 'scribe']);
    await page.getByLabel('Kind').selectOption('Videos');
    await expectSoon(() => page.getByRole('table', { name: 'Audio' }).count(), 0);
    await search.fill('no such model');
    await expectToSee(page.getByText('No model like that'));
  });

  it('show and sort by the price of a call without options, and the lowest one as "from"', async () => {
    const { page } = visitor;
    const usual = await pages.price({ modelId: QUALITIES });
    const least = await pages.price({ modelId: QUALITIES, quality: 'low' });
    expect(least.micro).toBeLessThan(usual.micro);
    await open(`/models?q=${encodeURIComponent(QUALITIES)}`);
    await expectToSee(
      page.getByRole('cell', { name: new RegExp(`^\\${usual.text}0* an image from \\${least.text}$`) }),
    );
    await open('/models?kind=image&sort=price');
    const ids = await textOf('Models');
    const prices = await Promise.all(ids.map((modelId) => pages.price({ modelId })));
    const micros = prices.map(({ micro }) => micro);
    expect(micros).toEqual(micros.toSorted((a, b) => a - b));
    await open(pageOf(QUALITIES));
    await expectToSee(
      page.getByText(`${usual.text} an image, from ${least.text} with other options`, { exact: false }),
    );
    await open(`/models?compare=${encodeURIComponent(QUALITIES)},${PRO}`);
    await expectToSee(page.getByRole('cell', { name: usual.text, exact: true }));
    await expectToSee(
      page.getByRole('cell', { name: `${usual.text} an image, from ${least.text} with other options` }),
    );
    await open(pageOf('ember-image-fast'));
    await expectToSee(page.getByText(/ an image$/));
  });

  it('name every parameter of a model', async () => {
    const { body } = await pages.world.get('/v1/agent/models');
    const models = body.models as { id: string; capabilities: Record<string, number | true> }[];
    const names = new Set<string>();
    for (const { id, capabilities } of models) {
      const fresh = Object.keys(capabilities).filter((name) => !names.has(name));
      if (fresh.length === 0) continue;
      await open(pageOf(id));
      for (const name of fresh) {
        names.add(name);
        await expectToSee(visitor.page.getByRole('rowheader', { name, exact: true }));
      }
    }
    expect([...names].toSorted()).toEqual(['lastFrame', 'n', 'negativePrompt', 'seed', 'sources']);
  });

  it('show the ids of models of the same name, and mark the private ones', async () => {
    const { page } = visitor;
    await open('/models?q=veil');
    await expectToSee(page.getByText('private', { exact: true }));
    await visitor.signUp();
    for (const path of ['/playground', '/studio/image']) {
      await open(path);
      await expectToSee(page.getByLabel('Prompt', { exact: true }));
      const options = await optionsOf('Model');
      for (const label of [
        /^GPT Image 1 · gpt-image-1\b/,
        /^GPT Image 1 · fal-ai\//,
        /^Gemini 3 Pro Image \(edit\)/,
      ])
        expect(options.filter((text) => label.test(text))).not.toEqual([]);
      expect(new Set(options).size).toBe(options.length);
      expect(options.some((text) => text.startsWith('Ember Image ·'))).toBe(false);
    }
  });

  it('open the playground with the chosen size and quality, at their price', async () => {
    const { page } = visitor;
    await open(pageOf(QUALITIES));
    await page.getByLabel('Quality').selectOption('high');
    await page.getByLabel('Size').selectOption('1536x1024');
    const chosen = { modelId: QUALITIES, imageSize: '1536x1024', quality: 'high' };
    const { text } = await pages.price(chosen);
    await expectToSee(page.getByText(text, { exact: true }));
    await page.getByRole('link', { name: 'Open in the playground' }).click();
    await expectToSee(page.getByLabel('Prompt', { exact: true }));
    await expectSoon(() => page.getByLabel('quality').inputValue(), 'high');
    await expectSoon(() => page.getByLabel('imageSize').inputValue(), '1536x1024');
    await expectToSee(page.getByRole('button', { name: `Send for ${text}`, exact: true }));
    await page.getByLabel('quality').selectOption('low');
    const { text: less } = await pages.price({ ...chosen, quality: 'low' });
    await expectToSee(page.getByRole('button', { name: `Send for ${less}`, exact: true }));
    await page.getByText('More parameters').click();
    await page.getByLabel('n', { exact: true }).fill('2');
    const { text: two } = await pages.price({ ...chosen, quality: 'low', n: 2 });
    await expectToSee(page.getByRole('button', { name: `Send for ${two}`, exact: true }));
    await page.reload(); // The link does not undo later changes.
    await expectSoon(() => page.getByLabel('quality').inputValue(), 'low');
  });

  it.each(['image', 'video'])('begin the studio (%s) with a model that needs no picture', async (kind) => {
    await visitor.signUp();
    await open(`/studio/${kind}`);
    await expectToSee(visitor.page.getByLabel('Prompt', { exact: true }));
    expect(await visitor.page.getByText('Source image', { exact: true }).count()).toBe(0);
  });

  it.each(DISPLAYS)('fit, %d pixels wide and %s, and nothing moves', async (width, theme) => {
    visitor = await pages.visitor({ width, theme });
    for (const script of [AXE, SHIFTS]) await visitor.page.addInitScript(script);
    await visitor.signUp();
    for (const [name, path] of [
      ['models', '/models'],
      ['qualities', pageOf(QUALITIES)],
      ['film', pageOf(FILM)],
      ['image', `/studio/image?model=${PRO}`],
      ['playground', `/playground?model=${encodeURIComponent(QUALITIES)}&quality=high`],
    ] as const) {
      await open(path);
      await visitor.page.getByText('…', { exact: true }).first().waitFor({ state: 'detached' });
      await visitor.expectGoodDisplay(`makers-${name}-${width}-${theme}`);
      const cut = await visitor.page
        .locator('.scroll')
        .evaluateAll((boxes) => boxes.map((box) => box.scrollWidth - box.clientWidth));
      expect({ name, cut: Math.max(0, ...cut) }).toEqual({ name, cut: 0 });
    }
  });
});
