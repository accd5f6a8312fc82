import { AXE, DISPLAYS, Pages, SHIFTS, describeInBrowser, expectToSee, expectSoon } from '../support/pages';

describeInBrowser('the API docs, in a browser', () => {
  let pages: Pages;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  it.each(DISPLAYS)(
    'can be used by everybody, %d pixels wide and %s, and nothing moves',
    async (width, theme) => {
      const visitor = await pages.visitor({ width, theme });
      const { page } = visitor;
      await page.addInitScript(AXE);
      await page.addInitScript(SHIFTS);
      await visitor.open('/docs');
      await visitor.waitUntilLoaded();
      await page.getByRole('heading', { name: 'POST /v1/agent/quote', exact: true }).click();
      await expectToSee(page.getByRole('heading', { name: 'Body' }));
      await visitor.expectGoodDisplay(`docs-${width}-${theme}`);
    },
  );

  it('finds a route, opens the one that the address names, and shows its fields', async () => {
    const visitor = await pages.visitor({ width: 1440 });
    const { page } = visitor;
    await visitor.open('/docs#quote');
    await expectToSee(
      page.getByRole('group', { name: 'quote as curl' }).getByText('"modelId":"torch-video"'),
    );
    await expectToSee(page.getByText('maxPriceMicro').or(page.getByText('max_tokens')).first());

    await page.getByLabel('Find a route').fill('cancel job');
    await expectToSee(page.getByRole('heading', { name: 'POST /v1/agent/jobs/{id}/cancel', exact: true }));
    await page
      .getByRole('heading', { name: 'POST /v1/agent/quote', exact: true })
      .waitFor({ state: 'detached' });

    await page.getByLabel('Find a route').fill('');
    await page.getByLabel('Document').selectOption('Account API');
    await expectToSee(page.getByRole('heading', { name: 'GET /v1/account/requests', exact: true }));
    expect(new URL(page.url()).search).toBe('?api=account');
  });

  it('shows every route of both documents, each with its details', async () => {
    const visitor = await pages.visitor({ width: 1440 });
    const { page } = visitor;
    for (const api of ['agent', 'account']) {
      await visitor.open(`/docs?api=${api}`);
      await visitor.waitUntilLoaded();
      const { body } = await pages.world.get(`/v1/${api}/openapi.json`);
      const operations = Object.values(body.paths as object).flatMap((item) => Object.keys(item as object));
      const messages = Object.keys((body.webhooks as object | undefined) ?? {});
      await expectSoon(() => page.locator('details').count(), operations.length + messages.length);
      await page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true; })`);
      await expectToSee(page.locator('details').last().getByRole('heading', { name: 'Statuses' }));
    }
  });

  it('show one coding agent at a time in their guide, and the one that the address names', async () => {
    const visitor = await pages.visitor({ width: 390 });
    const { page } = visitor;
    await visitor.open('/guides/agents#codex');
    const shown = (name: string) => page.getByRole('heading', { name: new RegExp(`^${name}`), level: 3 });
    await expectToSee(shown('Codex'));
    expect(await shown('Claude Code').count()).toBe(0);

    await page.getByRole('button', { name: 'opencode', exact: true }).click();
    await expectToSee(shown('opencode'));
    expect(await shown('Codex').count()).toBe(0);
    expect(new URL(page.url()).hash).toBe('#opencode');

    await page.evaluate(`location.hash = 'gemini-cli'`);
    await expectToSee(shown('Gemini CLI'));
    await visitor.keepScreenshot('guide-agents-390');
  });
});
