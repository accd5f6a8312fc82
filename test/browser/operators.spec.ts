import { AXE, Pages, type Visitor, describeInBrowser, expectToSee } from '../support/pages';

const TOKEN = 'an-admin-token-for-tests';
const EVIL = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>`;

describeInBrowser('the pages of operators, in a browser', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
    const someone = await pages.visitor();
    await someone.furnish('someone@example.com');
  });
  beforeEach(async () => {
    visitor = await pages.visitor();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  const enter = async (path: string): Promise<void> => {
    await visitor.open(path);
    await visitor.page.getByLabel('Admin token').fill(TOKEN);
    await visitor.page.getByRole('button', { name: 'Open' }).click();
  };

  it('open with the token only, and forget it', async () => {
    const { page } = visitor;
    await visitor.open('/admin');
    await page.getByLabel('Admin token').fill('a guess that is wrong');
    await page.getByRole('button', { name: 'Open' }).click();
    await expectToSee(page.getByText('This is not the token of an operator.'));
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The browser notes the 401.

    await page.getByLabel('Admin token').fill(TOKEN);
    await page.getByRole('button', { name: 'Open' }).click();
    await expectToSee(page.getByText('They balance: the drift is 0.'));
    await visitor.keepScreenshot('admin-light');
    await page.reload();
    await expectToSee(page.getByText('They balance: the drift is 0.'));
    expect(page.url()).not.toContain(TOKEN);
    await page.getByRole('button', { name: 'Forget the token' }).click();
    await page.reload();
    await expectToSee(page.getByLabel('Admin token'));
  });

  it('show charges by state, jobs and queues, each at its address', async () => {
    const { page } = visitor;
    await enter('/admin');
    await expectToSee(page.getByRole('table', { name: 'Queue depths' }).getByRole('row').nth(1));
    await page.getByRole('button', { name: 'Charges' }).click();
    await expectToSee(page.getByRole('row', { name: /charged torch-video api-key/ }));
    await visitor.keepScreenshot('admin-charges-light');
    await page.getByLabel('State', { exact: true }).selectOption('released');
    await expectToSee(page.getByText('No such charges'));
    expect(new URL(page.url()).search).toBe('?view=charges&state=released');

    await page.getByRole('button', { name: 'Jobs' }).click();
    await expectToSee(page.getByRole('row', { name: /ember-image charged/ }));
    await page.goBack();
    await expectToSee(page.getByText('No such charges'));
  });

  it('give credits, close and open accounts, and write down what was done', async () => {
    const { page } = visitor;
    await enter('/admin?view=accounts');
    const row = page.getByRole('row', { name: /someone@example\.com/ });
    await row.getByRole('button', { name: /^Give credits/ }).click();
    await page.getByLabel('Amount in USD').fill('1.5');
    await page.getByLabel('Reason').fill(EVIL);
    await page.getByRole('button', { name: 'Give credits', exact: true }).click();
    await expectToSee(row.getByText(/^\$26\.\d+$/));

    await row.getByRole('button', { name: /^Close the account/ }).click();
    await page.getByLabel('Reason').fill('spam');
    await page.getByRole('button', { name: 'Close the account', exact: true }).click();
    await expectToSee(row.getByText('closed'));
    await row.getByRole('button', { name: /^Open the account/ }).click();
    await page.getByLabel('Reason').fill('a mistake');
    await page.getByRole('button', { name: 'Open the account again', exact: true }).click();
    await expectToSee(row.getByText('open', { exact: true }));

    await page.getByRole('button', { name: 'Audit' }).click();
    await expectToSee(page.getByRole('row', { name: /credit acc_.* \$1\.50/ }).getByText(EVIL));
    await expectToSee(page.getByRole('row', { name: /unban/ }));
    await visitor.keepScreenshot('admin-audit-light');
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });

  it('show payments that bought no credits, and credit one', async () => {
    const { page } = visitor;
    await pages.world.db.rows(
      `insert into stray_payment (id, processor, reference, event_id, account_id, outcome, amount_micro, currency)
       select 'sp_1', 'stripe', $1, 'evt_1', id, 'wrong_amount', 9990000, 'usd' from account limit 1`,
      [EVIL],
    );
    await enter('/admin?view=payments');
    const row = page.getByRole('row', { name: /wrong amount/ });
    await expectToSee(row.getByText('$9.99'));
    await expectToSee(row.getByText(EVIL));

    await row.getByRole('button', { name: /^Credit the payment/ }).click();
    await page.getByLabel('Reason').fill('a cent was lost');
    await page.getByRole('button', { name: 'Credit the payment', exact: true }).click();

    await expectToSee(row.getByText('credited'));
    expect(await row.getByRole('button').count()).toBe(0);
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });

  it('switch a model off and on, and write down why', async () => {
    const { page } = visitor;
    await enter('/admin?view=sales');
    const row = page.getByRole('row', { name: /^lumen-plus/ });
    await row.getByRole('button', { name: 'Switch the model off' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('too slow today');
    await page.getByRole('button', { name: 'Switch the model off', exact: true }).click();
    await expectToSee(row.getByText('too slow today'));
    await row.getByRole('button', { name: 'Switch the model on' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('fast again');
    await page.getByRole('button', { name: 'Switch the model on', exact: true }).click();
    await expectToSee(row.getByText('on', { exact: true }));

    await page.getByRole('button', { name: 'Audit' }).click();
    await expectToSee(page.getByRole('row', { name: /switch_off model lumen-plus too slow today/ }).first());
  });

  it('show what each model earns, as a picture and in numbers', async () => {
    const { page } = visitor;
    await page.addInitScript(AXE);
    await enter('/admin?view=margins');

    await expectToSee(page.getByRole('img', { name: /^Charges and costs by day; most: / }));
    await expectToSee(page.getByRole('row', { name: /ember-image ok/ }));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('admin-margins-light');
  });

  it('show everybody the state of the parts and the models', async () => {
    const { page } = visitor;
    await visitor.open('/status');
    await expectToSee(page.getByRole('list', { name: 'Parts' }).getByText('database'));
    await expectToSee(page.getByRole('img', { name: 'ember-image: 100 % of 1 call succeeded' }));
    for (const comeBack of [
      () => page.getByRole('button', { name: 'Look again' }).click(),
      () => page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`),
    ]) {
      await Promise.all([
        page.waitForResponse(/agent\/status/),
        page.waitForResponse(/health\/ready/),
        comeBack(),
      ]);
    }
    await page.getByRole('button', { name: '7 days' }).click();
    await page.getByRole('button', { name: 'ember-image' }).click();
    await expectToSee(page.getByRole('heading', { name: 'ember-image over time' }));
    await visitor.keepScreenshot('status-light');
    expect(new URL(page.url()).search).toBe('?window=7d&model=ember-image');
  });
});
