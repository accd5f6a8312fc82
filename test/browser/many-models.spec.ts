import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { ListingVendor } from '../support/listing-vendor';
import {
  AXE,
  Pages,
  SHIFTS,
  type Visitor,
  describeInBrowser,
  expectSoon,
  expectToSee,
} from '../support/pages';

const TOKEN = `sessionStorage.setItem('admin-token', 'an-admin-token-for-tests')`;

const modelAt = (at: number) => ({
  id: `maker/model-${at}x`,
  name: `Model ${at}`,
  context_length: 100_000 + at,
  pricing: {
    prompt: `0.00000${1 + (at % 9)}`,
    completion: '0.00002',
    input_cache_read: '0.0000001',
    input_cache_write: at === 1_234 ? '0.00000008' : undefined,
  },
});
const SOLD = Array.from({ length: 2_000 }, (_, at) => modelAt(at));

describeInBrowser('the pages with two thousand models, in a browser', () => {
  let vendor: ListingVendor;
  let second: ListingVendor;
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    vendor = await new ListingVendor().start();
    vendor.sells(...SOLD, { id: 'maker/unpriced' }, { ...modelAt(0), id: 'maker/dated-20250101' });
    second = await new ListingVendor().start();
    second.sells({ id: 'maker/model-3x', pricing: { prompt: '0.00001', completion: '0.00003' } });
    pages = await Pages.open({
      OPENAI_COMPATIBLE_SERVERS: 'router,second',
      ROUTER_BASE_URL: `${vendor.origin}/v1`,
      SECOND_BASE_URL: `${second.origin}/v1`,
      ALLOW_SANDBOX_MIX: 'true',
    });
    await ask();
  });
  afterEach(() => pages.expectPeace());
  afterAll(async () => {
    await pages.close();
    await vendor.stop();
    await second.stop();
  });

  const ask = () => pages.world.app.get(VendorLists, { strict: false }).ask();
  const enter = async (
    path: string,
    display: { width?: number; theme?: 'light' | 'dark' } = {},
  ): Promise<void> => {
    visitor = await pages.visitor(display);
    for (const script of [AXE, SHIFTS, TOKEN]) await visitor.page.addInitScript(script);
    await visitor.open(path);
    await visitor.waitUntilLoaded();
  };
  /** The width of the table that is cut off. */
  const overhang = () =>
    visitor.page
      .locator('.scroll')
      .first()
      .evaluate((box) => box.scrollWidth - box.clientWidth);
  const rows = () => visitor.page.locator('tbody tr').count();
  const shown = async (id: string) =>
    ((await pages.world.get('/v1/agent/models')).body.textModels as { id: string }[]).find(
      (model) => model.id === id,
    );

  it.each([
    [1440, 'light'],
    [1000, 'dark'],
    [390, 'dark'],
  ] as const)('fit, %d pixels wide and %s, without a row for each model', async (width, theme) => {
    await enter('/admin?view=models', { width, theme });
    await expectToSee(visitor.page.getByRole('table', { name: 'Models of all vendors' }));
    await visitor.expectGoodDisplay(`admin-models-${width}-${theme}`);
    expect(await overhang()).toBe(0);
    expect(await rows()).toBeLessThanOrEqual(100);
    await visitor.open('/models');
    await visitor.waitUntilLoaded();
    await visitor.expectGoodDisplay(`many-models-${width}-${theme}`);
    expect(await overhang()).toBe(0);
    expect(await rows()).toBeLessThanOrEqual(100);
  });

  it('let a visitor find a model, and show the price of a call there', async () => {
    await enter('/models?q=model-1x&in=90000&out=10000');
    const { page } = visitor;
    await expectToSee(page.getByRole('cell', { name: '$2.50 in $25.00 out' }));
    await expectToSee(page.getByRole('cell', { name: '$0.475', exact: true }));
    await page.getByLabel('Of them cached').fill('50000');
    // 40,000 tokens for $2.50 a million, 50,000 for $0.125, and 10,000 for $25.
    await expectToSee(page.getByRole('cell', { name: '$0.35625', exact: true }));
    await page.getByLabel('Of them cached').fill('90001');
    await expectToSee(page.getByText('More than the tokens in. Give at most as many.'));
    await page.getByLabel('Of them cached').fill('-1');
    await expectToSee(page.getByText('Give a whole number from 0 to 10,000,000.'));
    await page.getByLabel('Of them cached').fill('0');
    await page.getByLabel('Tokens in').fill('100000');
    await expectToSee(page.getByRole('cell', { name: 'reads at most 100,001 tokens' }));
    await page.getByLabel('Can').selectOption('image');
    await expectToSee(page.getByText('No model like that'));
    await page.getByLabel('Can').selectOption('cache');
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByRole('button', { name: /^Show 100 of/ }).click();
    await expectSoon(rows, 200);
  });

  it.each(['/models?q=dated-2025', '/admin?view=models&search=dated-2025'])(
    'find a model by its alias: %s',
    async (path) => {
      await enter(path);
      await expectToSee(visitor.page.getByText('maker/dated', { exact: true }));
    },
  );

  it('show the prices of long and cached input on the page of a model, at both its addresses', async () => {
    const id = 'maker/model-7x';
    const change = (body: object) =>
      pages.world.app.inject({
        method: 'PATCH',
        url: `/v1/admin/models/${encodeURIComponent(id)}`,
        headers: { authorization: 'Bearer an-admin-token-for-tests' },
        payload: body,
      });
    const rates = {
      inputUsdPerMtok: { base: '10.104167', above: [{ tokens: 50_000, usd: '20' }] },
      cacheReadUsdPerMtok: '10.5',
      outputUsdPerMtok: '30',
    };
    expect((await change({ rates })).statusCode).toBe(200);
    for (const [width, theme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      await enter(`/models/${id}?in=50001&cached=1&out=10`, { width, theme });
      const { page } = visitor;
      const prices = page.getByRole('table', { name: 'Prices of a million tokens' });
      await expectToSee(prices.getByRole('columnheader', { name: 'Above 50,000 in' }));
      await expectToSee(prices.getByRole('row', { name: 'In $10.104167 $20.000000' }));
      await expectToSee(prices.getByRole('row', { name: 'In, from the cache $10.500000' }));
      await expectToSee(page.getByText('100,007 tokens'));
      // 50,000 tokens for $20 a million, one for $10.50, and 10 for $30.
      await expectToSee(page.getByText('$1.000311', { exact: true }));
      expect(await page.getByText('cheaper cached input').count()).toBe(0);
      await visitor.expectGoodDisplay(`usage-prices-${width}-${theme}`);
    }
    // $8 times 7/6 is $9.3333…, and prices are rounded up.
    expect((await change({ rates: null, markup: '7/6' })).statusCode).toBe(200);
    await visitor.open(`/models/${encodeURIComponent(id)}`);
    await expectToSee(visitor.page.getByText('$9.333334 in, $23.333334 out per million tokens'));
    expect((await change({ markup: null })).statusCode).toBe(200);
  });

  it('let an operator find a model, switch it off and on, and give it a price', async () => {
    await enter('/admin?view=models');
    const { page } = visitor;
    const numbers = page.getByText(/^[\d,]+ models, [\d,]+ of them for sale, [\d,]+ with a price$/);
    const [, priced] = /([\d,]+ with a price)$/.exec(await numbers.innerText()) ?? [];
    await expectToSee(page.getByRole('button', { name: `Choose all ${priced}`, exact: true }));
    await page.getByRole('searchbox', { name: 'Search' }).fill('unpriced');
    await expectToSee(page.getByText('1 model, 0 of them for sale, 0 with a price'));
    await expectToSee(page.getByText('its server lists no price, so only a CATALOG_FILE can sell it'));
    await expectToSee(page.getByText('not for sale', { exact: true }));
    // A click could not sell it.
    expect(await page.getByRole('button', { name: /^(Switch on|Change)/ }).count()).toBe(0);
    await page.getByRole('searchbox', { name: 'Search' }).fill('model-1234x');
    await expectToSee(page.getByText('1 model, 1 of them for sale'));
    await expectToSee(page.getByText(/^cache writes cost less than other input in its list/));
    await page.getByRole('button', { name: /^Switch off/ }).click();
    await expectToSee(page.getByText('an operator switched it off'));
    expect(await shown('maker/model-1234x')).toBeUndefined();
    await page.getByRole('button', { name: /^Switch on/ }).click();
    await expectToSee(page.getByRole('button', { name: /^Switch off/ }));

    await page.getByRole('button', { name: /^Change/ }).click();
    const wrongs = [
      [
        { 'Markup in percent of the cost': 'abc' },
        '“abc” is no percentage above -100 and below 9,900 with at most two decimals, such as 20 or 12.5.',
      ],
      [{ 'Markup in percent of the cost': '20', In: '3' }, 'Give a markup or prices, not both.'],
      [{ 'Markup in percent of the cost': '' }, 'Give both prices: in and out.'],
      [{ Out: '15 dollars' }, '“15 dollars” is no price in USD, such as 3, or 3, 6@200000 with a step.'],
      [{ In: '', Out: '' }, undefined],
    ] as const;
    for (const [fields, message] of wrongs) {
      for (const [label, text] of Object.entries(fields))
        await page.getByLabel(label, { exact: true }).fill(text);
      if (message === undefined) break;
      await page.getByRole('button', { name: 'Change', exact: true }).click();
      await expectToSee(page.getByText(message));
    }
    await page.getByLabel('Markup in percent of the cost').fill('-50');
    await page.getByLabel('Adults only').check();
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await expectToSee(page.getByText(/would sell below its cost/));
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The browser notes the 400.
    await page.getByLabel('Markup in percent of the cost').fill('100');
    await page.getByRole('button', { name: 'Change', exact: true }).click();
    await expectToSee(page.getByText('changed here', { exact: true }));
    expect(await shown('maker/model-1234x')).toMatchObject({ inputUsdPerMtok: '4.00', adultsOnly: true });
    await page.getByRole('button', { name: /^Undo the changes/ }).click();
    await expectSoon(async () => (await shown('maker/model-1234x')) !== undefined, true);
    await page.getByRole('button', { name: /^Undo the changes/ }).waitFor({ state: 'detached' });
    expect(await shown('maker/model-1234x')).toMatchObject({ inputUsdPerMtok: '2.50' });
  });

  it('let an operator change many models at once, and say which did not change', async () => {
    await enter('/admin?view=models');
    const { page } = visitor;
    await page.getByRole('searchbox', { name: 'Search' }).fill('model-123');
    await page.getByRole('button', { name: 'Choose all 11' }).click();
    await page.getByRole('checkbox', { name: /maker\/model-1239x/ }).uncheck();
    const edit = async (change: string, percent?: string): Promise<void> => {
      await page.getByRole('button', { name: 'Edit chosen models' }).click();
      await page.getByRole('dialog').getByLabel('Change').selectOption(change);
      if (percent !== undefined) await page.getByLabel('Markup in percent of the cost').fill(percent);
      await page.getByRole('dialog').getByRole('button', { name: change, exact: true }).click();
    };
    await edit('Stop selling them');
    await expectToSee(page.getByText('11 models, 1 of them for sale'));
    await expectToSee(page.getByText('10 models changed.'));
    expect(await shown('maker/model-1230x')).toBeUndefined();
    expect(await shown('maker/model-1239x')).toBeDefined();

    await page.getByRole('button', { name: 'Choose all 11' }).click();
    await edit('Sell them');
    await expectToSee(page.getByText('11 models, 11 of them for sale'));
    await page.getByRole('button', { name: 'Choose all 11' }).click();
    await edit('Set a markup', '-50');
    await expectToSee(
      page.getByText(
        /No model changed. 11 models did not change. The first reason: .* Check “Also below the cost”/,
      ),
    );
    expect(visitor.complaints).toEqual([]); // One call says which it refuses, and is answered with 200.
    await page.getByRole('dialog').getByLabel('Change').selectOption('rates');
    await page.getByLabel('In', { exact: true }).fill('50');
    await page.getByLabel('Out', { exact: true }).fill('60, 90@200000');
    await page.getByRole('dialog').getByRole('button', { name: 'Set prices', exact: true }).click();
    await expectToSee(page.getByText('11 models changed.'));
    expect(await shown('maker/model-1230x')).toMatchObject({
      inputUsdPerMtok: '50.00',
      above: [{ tokens: 200_000, outputUsdPerMtok: '90.00' }],
    });
    await expectToSee(page.getByText('$50.00 in, $90.00 out').first());
    await page.getByRole('button', { name: 'Choose all 11' }).click();
    await edit('Undo all changes, except on and off');
    await expectToSee(page.getByText('11 models changed.'));
    expect(await shown('maker/model-1230x')).not.toHaveProperty('above');
  });

  it('let an operator leave out a vendor that raises the price, and show a refused key', async () => {
    const price = async () => (await shown('maker/model-3x')) as { inputUsdPerMtok?: string } | undefined;
    await enter('/admin?view=models&state=dearer');
    const { page } = visitor;
    await expectToSee(page.getByText('The usual price of a listed model is its cost and 25 %'));
    const raises = /^second raises the price: input from \$5\.00 to \$12\.50; output from/;
    await expectToSee(page.getByText(raises));
    for (const [width, theme] of [
      [390, 'light'],
      [1000, 'dark'],
      [1440, 'light'],
    ] as const) {
      await enter('/admin?view=models&state=dearer', { width, theme });
      await expectToSee(visitor.page.getByText(raises));
      await visitor.expectGoodDisplay(`dearer-vendor-${width}-${theme}`);
    }
    expect((await price())?.inputUsdPerMtok).toBe('12.50');
    await visitor.page.getByRole('button', { name: /^Leave it out/ }).click();
    await expectToSee(visitor.page.getByText('No model like that'));
    expect((await price())?.inputUsdPerMtok).toBe('5.00');
    await enter('/admin?view=models&state=leftOut');
    await visitor.page.getByRole('button', { name: /^Use it/ }).click();
    await expectToSee(visitor.page.getByText('No model like that'));
    expect((await price())?.inputUsdPerMtok).toBe('12.50');

    second.status = 401;
    await ask();
    await enter('/admin?view=models&search=model-3x');
    await expectToSee(
      visitor.page.getByText(/^second: the vendor refused the key \(401\)\. Its last list, of/),
    );
    await visitor.page.getByRole('button', { name: /^Leave it out/ }).click();
    await visitor.page.getByRole('button', { name: /^Undo the changes/ }).click();
    await expectToSee(visitor.page.getByText(raises));
    second.status = 200;
    await ask();
  });

  it('let an operator agree to a held price, and to a list without most of its models', async () => {
    vendor.sells(
      { ...modelAt(7), pricing: { prompt: '0.001', completion: '0.00002' } },
      ...SOLD.slice(8, 20),
    );
    await ask();
    await enter('/admin?view=models&state=held');
    const { page } = visitor;
    await page.getByRole('button', { name: /^Agree/ }).click();
    await expectToSee(page.getByText('No model like that'));
    expect(await shown('maker/model-7x')).toMatchObject({ inputUsdPerMtok: '1250.00' });
    await expectToSee(page.getByText(/The newest list of router lacks 1,98\d models/));
    await page.getByRole('button', { name: /^They are gone/ }).click();
    await page.getByText(/The newest list of router/).waitFor({ state: 'detached' });
    expect(await shown('maker/model-1x')).toBeUndefined();
    await visitor.open('/models/maker%2Fmodel-1x');
    await expectToSee(page.getByText(/^maker\/model-1x retired on \d{4}-\d\d-\d\d\./));
    vendor.sells(...SOLD);
    await ask();
  });
});
