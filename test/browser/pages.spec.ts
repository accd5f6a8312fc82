import { GUIDE_INDEX, GUIDE_PAGES, PAGES } from '#faces/console/pages';
import { expectEventually } from '../support/eventually';
import { AXE, DISPLAYS, Pages, SHIFTS, describeInBrowser, expectToSee, expectSoon } from '../support/pages';

/** All pages. Pages about one model are opened with several addresses. */
const EACH = PAGES.flatMap((page) =>
  page.path === '/models/:id'
    ? ['ember-image', 'torch-video', 'lumen-vision', 'echo-voice', 'scribe', 'unknown'].map((id) => ({
        ...page,
        path: `/models/${id}`,
      }))
    : [page],
);

/** The longest guide, one with tables, and the list of guides represent all guides. */
const CHECKED_PAGES = [
  ...EACH,
  GUIDE_INDEX,
  ...GUIDE_PAGES.filter(({ path }) => /errors|receipts/.test(path)),
];

const TOKEN = `sessionStorage.setItem('admin-token', 'an-admin-token-for-tests')`;

describeInBrowser('the pages, in a browser', () => {
  let pages: Pages;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  it.each(DISPLAYS)(
    'fit, can be used by everybody and stay where they are while they load, %d pixels wide and %s',
    async (width, theme) => {
      const visitor = await pages.visitor({ width, theme });
      const { page } = visitor;
      await visitor.furnish();
      for (const script of [TOKEN, AXE, SHIFTS]) await page.addInitScript(script);
      for (const { path } of CHECKED_PAGES) {
        await visitor.open(path);
        await visitor.waitUntilLoaded();
        await visitor.expectGoodDisplay(`${path.replaceAll('/', '_')}-${width}-${theme}`);
      }
    },
  );

  it('fit a phone, all guides too', async () => {
    const visitor = await pages.visitor({ width: 390 });
    const { page } = visitor;
    for (const { path } of GUIDE_PAGES) {
      await visitor.open(path);
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');

      expect({ path, isTooWide }).toEqual({ path, isTooWide: false });
    }
  });

  it('weigh less than 80 KB at first sight', async () => {
    const visitor = await pages.visitor();
    await visitor.signUp();
    const session = await visitor.context.newCDPSession(visitor.page);
    await session.send('Network.enable');
    await session.send('Network.setCacheDisabled', { cacheDisabled: true });
    let bytes = 0;
    // The requests of the page, except for the stream of events, which never ends.
    const loading = new Set<string>();
    let shown = '';
    session.on('Network.requestWillBeSent', ({ requestId, loaderId, request }) => {
      if (requestId === loaderId) {
        // Requests of the previous page end with it, without an event.
        shown = loaderId;
        loading.clear();
      }
      if (loaderId === shown && request.headers['accept'] !== 'text/event-stream') loading.add(requestId);
    });
    session.on('Network.loadingFailed', ({ requestId }) => loading.delete(requestId));
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      loading.delete(requestId);
      bytes += encodedDataLength;
    });
    for (const { path } of CHECKED_PAGES) {
      bytes = 0;
      await visitor.open(path);
      await visitor.waitUntilLoaded();
      await expectEventually(() => loading.size === 0);

      expect({ path, isMeasured: bytes > 5_000, isLight: bytes < 80_000 }).toEqual({
        path,
        isMeasured: true,
        isLight: true,
      });
    }
  });

  it('remembers the theme that was chosen, and goes back to the system’s', async () => {
    const { page, ...visitor } = await pages.visitor({ theme: 'light' });
    await page.goto(`${pages.origin}/`);
    const back = (): Promise<string> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await back();
    await page.getByRole('button', { name: 'Theme: as the system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    const dark = await back();
    await page.reload();
    expect([await back(), dark]).toEqual([dark, 'rgb(19, 21, 28)']);
    await page.getByRole('button', { name: 'Theme: dark' }).click();
    await expectSoon(() => back(), light);
    expect(visitor.complaints).toEqual([]);
  });

  it('prices any call on the landing page as the service would', async () => {
    const visitor = await pages.visitor();
    const { page } = visitor;
    await visitor.open('/');
    await page.getByLabel('Model', { exact: true }).selectOption('torch-video');
    await page.getByLabel('Length').selectOption('8 seconds');
    await page.getByLabel('Resolution').selectOption('1080p');
    const { text: price } = await pages.price({ modelId: 'torch-video', duration: 8, resolution: '1080p' });
    await expectToSee(page.getByText(price, { exact: true }));

    await page.reload(); // The address contains the choice.
    await expectToSee(page.getByText(price, { exact: true }));
    expect(page.url()).toContain('model=torch-video');

    await page.getByRole('button', { name: 'OpenAI SDK' }).click();
    await page.getByRole('button', { name: /^Copy the call/ }).click();
    await expectEventually(async () => (await visitor.copied()).includes(`baseURL: '${pages.origin}/v1'`));
  });

  it.each(DISPLAYS)(
    'show models to everybody, %d pixels wide and %s, and nothing moves',
    async (width, theme) => {
      const visitor = await pages.visitor({ width, theme });
      const { page } = visitor;
      await visitor.furnish();
      await page.addInitScript(AXE);
      await page.addInitScript(SHIFTS);
      for (const [name, path] of [
        ['models', '/models'],
        ['compared', '/models?compare=torch-video,ember-image,lumen-flash'],
        ['model', '/models/torch-video'],
        ['text-model', '/models/lumen-flash'],
      ] as const) {
        await visitor.open(path);
        await visitor.waitUntilLoaded();
        await page.getByText('…', { exact: true }).first().waitFor({ state: 'detached' });
        await visitor.expectGoodDisplay(`${name}-${width}-${theme}`);
      }
    },
    60_000,
  );

  it.each([1_440, 1_000, 390])('show the list of models whole, %d pixels wide', async (width) => {
    const visitor = await pages.visitor({ width });
    for (const path of ['/models', '/models?in=9000000&cached=8000000&out=1000000']) {
      await visitor.open(path);
      await visitor.waitUntilLoaded();
      await visitor.keepScreenshot(`whole-${width}-${path.length}`);
      const cut = await visitor.page
        .getByRole('group', { name: 'Models' })
        .evaluate((box) => box.scrollWidth - box.clientWidth);
      expect({ path, cut }).toEqual({ path, cut: 0 });
    }
  });

  it('list models by what is asked, and compare them at the price of the visitor’s own call', async () => {
    const visitor = await pages.visitor({ width: 1440 });
    const { page } = visitor;
    await visitor.open('/models');
    const rows = page.getByRole('table', { name: 'Models', exact: true }).getByRole('row');
    await expectToSee(page.getByRole('link', { name: 'torch-video' }).or(page.getByText('torch-video')));
    const all = await rows.count();
    await page.getByLabel('Kind').selectOption('Videos');
    await expectEventually(async () => (await rows.count()) < all);
    await page.getByRole('searchbox', { name: 'Search' }).fill('cinema');
    await expectEventually(async () => (await rows.count()) === 2);
    await rows.getByRole('checkbox').check();
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByLabel('Kind').selectOption('Images');
    await page.getByLabel('Sort by').selectOption('Price');
    await page.getByRole('checkbox', { name: 'Compare Ember Image', exact: true }).check();
    const { text: image } = await pages.price({ modelId: 'ember-image' });
    const compared = page.getByRole('table', { name: 'Compared models' });
    await expectToSee(compared.getByRole('cell', { name: image, exact: true }));

    await page.getByLabel('Length').selectOption('8 seconds');
    const { text: film } = await pages.price({ modelId: 'torch-video-cinema', duration: 8 });
    await expectToSee(compared.getByRole('cell', { name: film, exact: true }));
    await page.reload(); // The address contains everything.
    await expectToSee(compared.getByRole('cell', { name: film, exact: true }));
  });

  it('show the exact price, the last 30 days and the code of one model', async () => {
    const visitor = await pages.visitor({ width: 1440 });
    const { page } = visitor;
    await visitor.signUp();
    await visitor.topUp(5);
    await visitor.post('/v1/agent/generate', { modelId: 'ember-image', prompt: 'a lamp' });
    await visitor.open('/models/torch-video');
    await page.getByLabel('Length').selectOption('8 seconds');
    const { text: price } = await pages.price({ modelId: 'torch-video', duration: 8 });
    await expectToSee(page.getByText(price, { exact: true }));
    const code = page.getByRole('group', { name: /^the call in/ });
    for (const tab of ['curl', 'Python', 'TypeScript', 'x402', 'MCP']) {
      await page.getByRole('button', { name: tab, exact: true }).click();
      await expectToSee(page.getByRole('group', { name: `the call in ${tab}` }));
      await expectEventually(async () => /"?duration"?: ?8/.test((await code.textContent()) ?? ''));
    }
    await expectToSee(page.getByRole('rowheader', { name: 'extend', exact: true }));
    await visitor.open('/models/ember-edit');
    await expectToSee(page.getByRole('rowheader', { name: 'mask', exact: true }));
    await visitor.open('/models/ember-image');
    // The status is computed once a minute, so it may not contain this call yet. Then the page shows that there are no
    // calls.
    await expectToSee(
      page
        .getByText(/^From [\d,]+ real calls? of this service\./)
        .or(page.getByText('No call in the last 30 days')),
    );
    await visitor.open('/models');
    await page.getByRole('link', { name: 'Echo Voice', exact: true }).click();
    await expectToSee(
      page.getByText(/text to speech · \$[\d.]+ a million characters, and at least \$[\d.]+ a call/),
    );
    await expectToSee(page.getByRole('rowheader', { name: 'voice' }));
    await expectEventually(async () => /"model":"echo-voice"/.test((await code.textContent()) ?? ''));
    await visitor.open('/models/no-such-model');
    await expectToSee(page.getByText('There is no model no-such-model'));
  });

  it('finds in the guides what somebody types, by keyboard alone, and copies code from them', async () => {
    const visitor = await pages.visitor({ width: 390 });
    const { page } = visitor;
    await visitor.open('/guides');
    await page.keyboard.press('/');
    await page.keyboard.type('never charged twice');
    await expectToSee(page.getByRole('status').getByText(/^\d found$/));
    await page.getByLabel('Search the guides').fill('price_above');
    await expectToSee(page.getByRole('link', { name: 'PRICE_ABOVE_MAX in Errors one by one' }));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${pages.origin}/guides/errors#PRICE_ABOVE_MAX`);
    await expectToSee(page.locator('h3#PRICE_ABOVE_MAX'));

    await visitor.open('/guides/budgets');
    await page.getByRole('button', { name: 'Copy this code' }).first().click();
    await expectEventually(async () => (await visitor.copied()).includes('/v1/agent/quote'));
  });

  it('sends who typed another name of this machine to the one that sessions are good for', async () => {
    const visitor = await pages.visitor();
    await visitor.page.goto(`${pages.origin.replace('127.0.0.1', 'localhost')}/?code=curl`);

    expect(visitor.page.url()).toBe(`${pages.origin}/?code=curl`);
    visitor.requests.shift();
  });
});
