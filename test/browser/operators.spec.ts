import {
  AXE,
  Pages,
  SHIFTS,
  type Visitor,
  describeInBrowser,
  expectToSee,
  expectSoon,
} from '../support/pages';

const TOKEN = 'an-admin-token-for-tests';
const EVIL = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>`;

const VIEWS = [
  'overview',
  'accounts',
  'payments',
  'sales',
  'models',
  'margins',
  'routes',
  'channels',
  'charges',
  'jobs',
  'audit',
];

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
    await page.route('**/v1/admin/drift', (route) =>
      route.fulfill({
        json: { now: { at: new Date().toISOString(), driftMicro: { chain: 0, bills: 26_269 } } },
      }),
    );
    await page.reload();
    await expectToSee(page.getByText('They balance.', { exact: true }));
    await expectToSee(page.getByText(/^Vendors billed \$0\.026269 more than the charges of a day/));
    await page.getByRole('button', { name: 'Forget the token' }).click();
    await page.reload();
    await expectToSee(page.getByLabel('Admin token'));
  });

  it.each([
    [1440, 'light'],
    [390, 'dark'],
  ] as const)('fit and can be used by everybody, %d pixels wide and %s', async (width, theme) => {
    visitor = await pages.visitor({ width, theme });
    const { page } = visitor;
    for (const script of [AXE, SHIFTS]) await page.addInitScript(script);
    await enter('/admin');
    await expectToSee(page.getByRole('table', { name: 'Revenue without refunds' }));
    for (const view of VIEWS) {
      await visitor.open(`/admin?view=${view}`);
      await visitor.waitUntilLoaded();
      await visitor.expectGoodDisplay(`admin-${view}-${width}-${theme}`);
    }
  });

  it('find accounts and charges, at an address that can be shared', async () => {
    const { page } = visitor;
    await enter('/admin?view=accounts&search=some');
    await expectToSee(page.getByRole('row', { name: /someone@example\.com/ }));
    await page.getByRole('searchbox', { name: 'Find accounts' }).fill('nobody');
    await page.keyboard.press('Enter');
    await expectToSee(page.getByText('No such accounts'));
    expect(new URL(page.url()).search).toBe('?view=accounts&search=nobody');
    await page.getByRole('button', { name: 'Show all' }).click();
    await expectToSee(page.getByRole('row', { name: /someone@example\.com/ }));

    await page.getByRole('button', { name: 'Charges' }).click();
    await page.getByRole('searchbox', { name: 'Find charges' }).fill('key_of-nobody');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await expectToSee(page.getByText('No such charges'));
  });

  it('make a link for a new password, shown once', async () => {
    const { page } = visitor;
    await enter('/admin?view=accounts');
    const row = page.getByRole('row', { name: /someone@example\.com/ });
    await row.getByRole('button', { name: /^Make a link/ }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('rang from the known number');
    await page.getByRole('button', { name: 'Make a link for a new password', exact: true }).click();
    await expectToSee(page.getByText(/Give this link to someone@example\.com only/));
    await expectToSee(page.getByText(/http:.*\/account\/reset/));
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
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
    await expectSoon(() => row.getByRole('button').count(), 0);
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });

  it('switch a model off and on, and write down why', async () => {
    const { page } = visitor;
    await enter('/admin?view=sales');
    const row = page.getByRole('row', { name: /^lumen-plus/ });
    await row.getByRole('button', { name: 'Switch off the model' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('too slow today');
    await page.getByRole('button', { name: 'Switch off the model', exact: true }).click();
    await expectToSee(row.getByText('too slow today'));
    await row.getByRole('button', { name: 'Switch on the model' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).fill('fast again');
    await page.getByRole('button', { name: 'Switch on the model', exact: true }).click();
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

  it('show how each route of a model serves', async () => {
    const { page } = visitor;
    await enter('/admin?view=routes');
    await expectToSee(page.getByRole('row', { name: /^ember-image listed sandbox .* in use 1 0 / }));
  });

  it('show the payment channels of each network, and those at risk', async () => {
    const { page } = visitor;
    await page.addInitScript(AXE);
    await enter('/admin?view=channels');
    await expectToSee(page.getByText('No network offers channels'));
    await expectToSee(page.getByText('No such channels'));
    const wallet = (digit: string) => `0x${digit.repeat(40)}`;
    const channel = (digit: string) => `0x${digit.repeat(64)}`;
    for (const [digit, charged, withdraws] of [
      ['a', 7_000, 1],
      ['b', 0, 0],
    ] as const)
      await pages.world.db.rows(
        `insert into channel (id, network, payer, payer_authorizer, receiver, receiver_authorizer, token, withdraw_delay,
           salt, base_micro, charged_micro, signed_micro, signature, balance_micro, claimed_micro, withdraw_requested_at)
         values ($1, 'eip155:137', $2, $2, $2, $2, $2, 900, $3, 0, $4, $4, '0x00', 20000, 0, $5)`,
        [channel(digit), wallet(digit), channel('0'), charged, withdraws],
      );

    await page.getByRole('button', { name: 'Read again' }).click();

    await expectToSee(page.getByRole('row', { name: /^eip155:137 not offered 2 \$0\.007 \$0\.007/ }));
    await page.getByLabel('State', { exact: true }).selectOption('open');
    await expectToSee(page.getByRole('row', { name: /^0xbbbbbbbb…bbbbbb/ }));
    await visitor.keepScreenshot('admin-channels-light');
    await page.getByLabel('State', { exact: true }).selectOption('at_risk');
    await expectToSee(page.getByRole('row', { name: /^0xaaaaaaaa…aaaaaa withdraws/ }));
    await page.getByRole('row', { name: /^0xbbbbbbbb…bbbbbb/ }).waitFor({ state: 'detached' });
    expect(new URL(page.url()).search).toBe('?view=channels&state=at_risk');
    expect(await visitor.barriers()).toEqual([]);
    await pages.world.db.rows('delete from channel');
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
