import { readFileSync } from 'node:fs';

import { expectEventually } from '../support/eventually';
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

describeInBrowser('the request log, in a browser', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  /** Calls that succeed, and one that is refused. */
  const makeCalls = async (): Promise<void> => {
    await visitor.furnish();
    const headers = { origin: pages.origin };
    const data = { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: -1 };
    const { request } = visitor.context;
    expect((await request.post(`${pages.origin}/v1/chat/completions`, { data, headers })).status()).toBe(400);
    await expectEventually(async () => {
      const refused = await request.get(`${pages.origin}/v1/account/requests?status=refused`);
      return ((await refused.json()) as { requests: unknown[] }).requests.length === 1;
    });
  };

  it.each(DISPLAYS)(
    'can be used by everybody, %d pixels wide and %s, and nothing moves',
    async (width, theme) => {
      visitor = await pages.visitor({ width, theme });
      const { page } = visitor;
      await makeCalls();
      await page.addInitScript(AXE);
      await page.addInitScript(SHIFTS);
      await visitor.open('/account/requests');
      await visitor.waitUntilLoaded();
      await page
        .getByRole('row', { name: /ember-image/ })
        .getByRole('button')
        .click();
      await expectToSee(page.getByRole('heading', { name: 'Run it again' }));
      await visitor.expectGoodDisplay(`requests-${width}-${theme}`);
    },
  );

  it('filters by what is in the address, opens a call, and exports the list', async () => {
    visitor = await pages.visitor({ width: 1440 });
    const { page } = visitor;
    await makeCalls();
    await visitor.open('/account/requests');
    await expectToSee(page.getByRole('row', { name: /refused INVALID_REQUEST/ }));
    await expectSoon(() => page.getByRole('row', { name: /charged/ }).count(), 3);

    await page.getByLabel('Status').selectOption('refused');
    await page
      .getByRole('row', { name: /charged/ })
      .first()
      .waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('status')).toBe('refused');
    await page.reload();
    await expectToSee(page.getByRole('row', { name: /refused INVALID_REQUEST/ }));
    await page.getByLabel('Status').selectOption('charged');
    await page.getByLabel('Model').selectOption('ember-image');
    const line = page.getByRole('row', { name: /charged ember-image Console image/ });
    await line.getByRole('button').click();
    const { text } = await pages.price({ modelId: 'ember-image' });
    await expectToSee(page.getByRole('definition').filter({ hasText: text }));
    const curl = page.getByRole('group', { name: 'the call as curl' });
    await expectToSee(curl.getByText('"modelId":"ember-image","prompt":"YOUR PROMPT"'));
    await page.getByRole('button', { name: 'Receipt' }).click();
    await expectToSee(page.getByRole('dialog', { name: 'Receipt' }).getByText('ember-image'));
    await page.goBack();

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('ember-image');
  });
});
