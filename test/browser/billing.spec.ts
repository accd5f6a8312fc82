import { readFileSync } from 'node:fs';

import { AlertsProcessor } from '#notices/alerts/alerts.processor';
import { money } from '../../clients/console/parts/format';
import { Pages, type Visitor, describeInBrowser, expectToSee, expectSoon } from '../support/pages';

describeInBrowser('billing, in a browser', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  beforeEach(async () => {
    visitor = await pages.visitor();
    await visitor.signUp();
    await visitor.open('/account/billing');
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  const topUp = async (amount: string): Promise<void> => {
    const { page } = visitor;
    await page.getByLabel('Amount in USD').fill(amount);
    await page.getByRole('button', { name: 'Top up' }).click();
    await page.getByRole('button', { name: 'Pay' }).click();
    await expectToSee(page.getByRole('heading', { name: 'Billing', level: 1 }));
  };

  it('begins with nothing, and says so', async () => {
    const { page } = visitor;
    await expectToSee(page.getByText('Nothing was spent in this time'));
    await expectToSee(page.getByText('No transactions yet'));
    await expectToSee(page.getByText('$0.00'));
  });

  it('takes money through the checkout and leads back to the new balance', async () => {
    const { page } = visitor;
    await topUp('12.50');

    await expectToSee(page.getByText('Thank you. $12.50 was added to your balance.'));
    expect(new URL(page.url()).search).toBe('');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('Thank you.').waitFor({ state: 'detached' });
    await expectToSee(page.getByRole('region', { name: 'Balance' }).getByText('$12.50'));
    await expectToSee(page.getByRole('link', { name: 'Balance $12.50' }));
    await expectToSee(page.getByRole('row', { name: /top-up Credits \+\$12\.50 \$12\.50/ }));
  });

  it('shows what is spent meanwhile, without being asked again', async () => {
    const { page } = visitor;
    await topUp('5');
    await expectToSee(page.getByRole('region', { name: 'Balance' }).getByText('$5.00'));

    await visitor.post('/v1/agent/generate', { prompt: 'a lamp' });

    const { micro, text } = await pages.price({ modelId: 'ember-image' });
    const left = money(5_000_000 - micro);
    await expectToSee(page.getByRole('region', { name: 'Balance' }).getByText(left));
    await expectToSee(page.getByRole('row', { name: `charge ember-image −${text} ${left}` }));
    await expectToSee(page.getByRole('row', { name: `1 call ${text}` }));
  });

  it('takes what to warn of, and says why something is none', async () => {
    const { page } = visitor;
    await page.getByLabel('The balance is less than').fill('7.5');
    await page.getByLabel('The spending of a day is more than').fill('20');
    await page.getByLabel('this percentage').fill('50, 90 %');
    await page.getByRole('button', { name: 'Save alerts' }).click();
    await expectToSee(page.getByText('These warnings apply from now on'));

    await page.reload();
    await expectSoon(() => page.getByLabel('The balance is less than').inputValue(), '7.5');
    await expectSoon(() => page.getByLabel('this percentage').inputValue(), '50, 90');
    await page.getByLabel('this percentage').fill('101');
    await page.getByRole('button', { name: 'Save alerts' }).click();
    await expectToSee(page.getByText('The percentage must be at most 100.'));
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The browser notes the 400.
  });

  it('warns of what will run out, for as long as it is so', async () => {
    const { page } = visitor;
    await topUp('1');
    await visitor.post('/v1/agent/generate', { prompt: 'a lamp' });
    await pages.world.app.get(AlertsProcessor, { strict: false }).run();
    await expectToSee(page.getByRole('list', { name: 'Alerts' }).getByText('Your balance fell below $1.00.'));

    await topUp('5');
    await pages.world.app.get(AlertsProcessor, { strict: false }).run();
    await visitor.open('/account/billing');
    await expectToSee(page.getByText('Nothing was spent in this time').or(page.getByText('1 call')).first());
    await expectSoon(() => page.getByRole('list', { name: 'Alerts' }).count(), 0);
  });

  it('says what an amount must be', async () => {
    const { page } = visitor;
    for (const amount of ['0.50', '501', 'ten', '5.001']) {
      await page.getByLabel('Amount in USD').fill(amount);
      await page.getByRole('button', { name: 'Top up' }).click();
      await expectToSee(page.getByText('An amount from $1 to $500, in whole cents.'));
      await page.getByRole('button', { name: '$10', exact: true }).click();
      await expectSoon(() => page.getByRole('button', { name: 'Top up $10.00' }).count(), 1);
    }
  });

  it('shows what was spent by day, model and key, with receipts, a filter and a file', async () => {
    const { page } = visitor;
    await topUp('5');
    await visitor.post('/v1/agent/generate', { prompt: 'a lamp' });
    await page.reload();

    const { micro, text } = await pages.price({ modelId: 'ember-image' });
    const left = money(5_000_000 - micro);
    const usage = page.getByRole('region', { name: 'Usage' });
    await usage.getByRole('img', { name: `most: ${text}, ` }).waitFor();
    await expectToSee(usage.getByRole('row', { name: `1 call ${text}` }));
    await usage.getByRole('button', { name: 'By model' }).click();
    await expectToSee(usage.getByRole('row', { name: `ember-image 1 call ${text}` }));
    await usage.getByRole('button', { name: 'By key' }).click();
    await expectToSee(usage.getByRole('row', { name: `You, in the studio 1 call ${text}` }));
    expect(new URL(page.url()).search).toBe('?by=key');

    await page.getByLabel('Kind').selectOption('charges');
    await expectToSee(page.getByRole('row', { name: `charge ember-image −${text} ${left}` }));
    await page.getByRole('row', { name: /Credits/ }).waitFor({ state: 'detached' });

    await page.getByRole('button', { name: /^Receipt of/ }).click();
    const receipt = page.getByRole('dialog', { name: 'Receipt' });
    await expectToSee(receipt.getByText('ember-image'));
    await expectToSee(receipt.getByText('charged', { exact: true }));
    await page.goBack(); // The receipt has a separate address.
    await receipt.waitFor({ state: 'detached' });

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
    expect(lines[0]).toBe(
      'createdAt,kind,amountMicro,balanceAfterMicro,modelId,chargeId,transaction,id,' +
        'amountUsd,balanceAfterUsd,keyId,keyName,network',
    );
    expect(lines[1]).toMatch(
      new RegExp(
        `^2\\d{3}-.*,debit,${micro},${5_000_000 - micro},ember-image,ch_[\\w-]+,,acc_[\\w-]+-2,0\\.0\\d+,4\\.\\d+,,,$`,
      ),
    );
    expect(lines).toHaveLength(3); // The file has the same filter. Its last line ends with a line break.
  });
});
