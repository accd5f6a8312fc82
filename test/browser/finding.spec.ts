import { AXE, Pages, type Visitor, describeInBrowser, expectToSee, expectSoon } from '../support/pages';

describeInBrowser('the search and the first steps, in a browser', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  it('opens pages, models, keys and guides by keyboard alone', async () => {
    visitor = await pages.visitor();
    const { page } = visitor;
    await page.addInitScript(AXE);
    await visitor.signUp();
    await visitor.post('/v1/account/keys', { name: 'night agent', expiresInDays: 30 });
    await visitor.open('/status');
    expect(visitor.requests.some((url) => url.includes('palette'))).toBe(false);
    const find = async (typed: string, kind: string, address: RegExp): Promise<void> => {
      await page.keyboard.press('Control+k');
      const box = page.getByRole('combobox', { name: 'Pages, models, keys and guides' });
      await box.fill(typed);
      const first = page.getByRole('option').first();
      await expectToSee(page.getByRole('option', { selected: true }).filter({ hasText: kind }));
      if (kind === 'Model') {
        expect({ violations: await visitor.barriers() }).toEqual({ violations: [] });
        await visitor.keepScreenshot('search');
      }
      await expectSoon(() => first.getAttribute('aria-selected'), 'true');
      await page.keyboard.press('Enter');
      await page.waitForURL(address);
      await page.locator('#main').waitFor();
    };
    await find('torch-video-cin', 'Model', /\/models\/torch-video-cinema$/);
    await find('night', 'Key', /\/account\/keys#/);
    await find('webhooks', 'Page', /\/account\/webhooks$/);
    await find('first call in a minute', 'Guide', /\/guides\/first-call$/);

    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('zzzz');
    await expectToSee(page.getByText('Nothing was found.'));
    await page.keyboard.press('Escape');
    await page.getByRole('combobox').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('combobox').press('ArrowDown');
    const second = await page.getByRole('option').nth(1).textContent();
    await expectToSee(page.getByRole('option', { selected: true }).filter({ hasText: second ?? '' }));
  });

  it.each([
    [1440, 'light'],
    [390, 'dark'],
  ] as const)('turns first steps green by what happened, %d pixels wide and %s', async (width, theme) => {
    visitor = await pages.visitor({ width, theme });
    const { page } = visitor;
    await page.addInitScript(AXE);
    await visitor.open('/account/sign-up');
    await visitor.enter('Sign up', `steps-${width}@example.com`);
    const steps = page.getByRole('region', { name: 'First steps' });
    await expectToSee(steps.getByText('1 of 5 done'));
    expect({ violations: await visitor.barriers() }).toEqual({ violations: [] });
    await visitor.keepScreenshot(`first-steps-${width}-${theme}`);

    await visitor.topUp(5);
    await expectToSee(steps.getByText('2 of 5 done')); // The page has received the event.
    await visitor.post('/v1/agent/chat', { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4 });
    await expectToSee(steps.getByText('3 of 5 done'));
    const { key } = await visitor.post('/v1/account/keys', { name: 'mine', expiresInDays: 30 });
    await page.reload();
    await expectToSee(steps.getByText('4 of 5 done'));
    await expectToSee(steps.getByText('Make a key for your program, done'));
    const called = await pages.world.post(
      '/v1/agent/chat',
      { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 4 },
      { 'x-api-key': String(key) },
    );
    expect(called.status).toBe(200);
    await steps.waitFor({ state: 'detached' });
  });

  it('hides the first steps for somebody who does not want them', async () => {
    visitor = await pages.visitor();
    await visitor.signUp();
    await visitor.open('/account/keys');
    await visitor.page.getByRole('button', { name: 'Hide' }).click();
    await visitor.page.reload();
    await expectToSee(visitor.page.getByText('No keys yet'));
    await expectSoon(() => visitor.page.getByText('First steps').count(), 0);
  });
});
