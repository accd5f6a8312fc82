import {
  AXE,
  DISPLAYS,
  Pages,
  SHIFTS,
  type Visitor,
  describeInBrowser,
  expectToSee,
  expectSoon,
} from '../support/pages';

describeInBrowser('the activity, in a browser', () => {
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
      await visitor.furnish();
      await page.addInitScript(AXE);
      await page.addInitScript(SHIFTS);
      await visitor.open('/account/activity');
      await visitor.waitUntilLoaded();
      await expectToSee(page.getByRole('row', { name: /torch-video/ }));
      await visitor.expectGoodDisplay(`activity-${width}-${theme}`);
    },
  );

  const open = async (): Promise<Visitor> => {
    const visitor = await pages.visitor({ width: 1440 });
    await visitor.furnish();
    await visitor.open('/account/activity');
    return visitor;
  };

  it('shows spend, calls and tokens by model and key, and leads to their calls', async () => {
    const { page } = await open();
    const { text } = await pages.price({ modelId: 'ember-image' });
    await expectToSee(page.getByRole('row', { name: `ember-image ${text} 1 0 $0.00` }));
    await expectToSee(page.getByText('This month costs'));
    await page.getByLabel('Show').selectOption('Tokens');
    await expectToSee(page.getByRole('img', { name: /^Tokens by day and model; most: \d+ tokens$/ }));
    await page.getByLabel('Stack by').selectOption('Key');
    await expectToSee(page.getByRole('row', { name: /^Console and sessions/ }));
    expect(new URL(page.url()).search).toBe('?show=tokens&by=key');

    await page.getByLabel('Stack by').selectOption('Model');
    await page.getByRole('link', { name: 'ember-image' }).click();
    await expectToSee(page.getByRole('heading', { name: 'Requests', level: 1 }));
    await expectToSee(page.getByRole('row', { name: /charged ember-image/ }));
    await expectSoon(() => page.getByRole('row', { name: /charged/ }).count(), 1);
  });

  it('says that nothing was spent', async () => {
    const visitor = await pages.visitor();
    await visitor.signUp();
    await visitor.open('/account/activity');
    await expectToSee(visitor.page.getByText('Nothing was spent in this time'));
    await expectToSee(visitor.page.getByText('Nothing was spent in the last seven days.'));
  });
});
