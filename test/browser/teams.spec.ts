import { AutoTopUpsProcessor } from '#money/credits/auto-top-ups.processor';
import { FakeStripe } from '../support/fake-stripe';
import { AXE, Pages, type Visitor, describeInBrowser, expectToSee, expectSoon } from '../support/pages';

describeInBrowser('a saved card, in a browser', () => {
  let stripe: FakeStripe;
  let pages: Pages;

  beforeAll(async () => {
    stripe = await new FakeStripe().start();
    pages = await Pages.open(stripe.env);
  });
  afterEach(() => pages.expectPeace());
  afterAll(async () => {
    await pages.close();
    await stripe.stop();
  });

  it('is saved at the processor, tops up by itself, fails visibly and is removed', async () => {
    for (const [width, theme] of [
      [1200, 'light'],
      [390, 'dark'],
    ] as const) {
      const visitor = await pages.visitor({ width, theme });
      const { page } = visitor;
      await page.addInitScript(AXE);
      await visitor.signUp();
      // Replaces the processor's page with its way back, so that no outside server is called.
      await page.route('**/auto-top-up/card', async (route) => {
        const answer = await route.fetch();
        const checkoutUrl = `${pages.origin}/account/billing?card=saved`;
        await route.fulfill({
          response: answer,
          json: { ...((await answer.json()) as object), checkoutUrl },
        });
      });
      await visitor.open('/account/billing');
      await page.getByRole('button', { name: 'Save a card' }).click();
      await page.waitForURL('**/account/billing?card=saved');
      await page.unroute('**/auto-top-up/card');
      await stripe.notify(pages.world, stripe.cardSaved());

      await visitor.open('/account/billing?card=saved');
      await expectToSee(page.getByText('The card visa 4242'));
      await page.getByLabel('At most in a month').fill('20');
      await page.getByRole('button', { name: 'Switch on' }).click();
      await expectToSee(page.getByText('monthUsd must cover amountUsd'));
      visitor.complaints.splice(0); // The browser notes the 400.
      await page.getByLabel('At most in a month').fill('25');
      await page.getByRole('button', { name: 'Switch on' }).click();
      await expectToSee(page.getByRole('button', { name: 'Switch off' }));

      stripe.card = width === 390 ? 'card_declined' : 'good';
      await pages.world.app.get(AutoTopUpsProcessor, { strict: false }).run();
      if (width === 390) await page.reload();
      await expectToSee(
        page.getByText(
          width === 390 ? 'The last charge failed: the bank declined it' : '$25.00 charged this month',
        ),
      );
      expect({ violations: await visitor.barriers() }).toEqual({ violations: [] });
      await expectSoon(() => page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
      await visitor.keepScreenshot(`auto-top-up-${width}-${theme}`);
      await page.getByRole('button', { name: 'Switch off' }).click();
      await page.getByRole('button', { name: 'Remove the card' }).click();
      await expectToSee(page.getByRole('button', { name: 'Save a card' }));
    }
  });
});

describeInBrowser('the money of a team, in a browser', () => {
  let pages: Pages;
  let ann: Visitor;

  beforeAll(async () => {
    pages = await Pages.open({ SELLER_NAME: 'Lamps Inc', SELLER_ADDRESS: '2 Light Road; Paris' });
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  const looksGood = async (visitor: Visitor, name: string): Promise<void> => {
    expect({ name, violations: await visitor.barriers() }).toEqual({ name, violations: [] });
    await expectSoon(() => visitor.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
    await visitor.keepScreenshot(name);
  };

  const founds = async (visitor: Visitor, name: string): Promise<string> => {
    const { id } = await visitor.post('/v1/account/organisations', { name });
    await visitor.open('/account/organisation');
    await visitor.page.evaluate(`sessionStorage.setItem('organisation', '${String(id)}')`);
    await visitor.topUp(5, String(id));
    return String(id);
  };

  it('has invoices with the billing address, which print without the rest of the page', async () => {
    ann = await pages.visitor();
    const phone = await pages.visitor({ width: 390, theme: 'dark' });
    for (const visitor of [ann, phone]) {
      const { page } = visitor;
      await page.addInitScript(AXE);
      await visitor.signUp();
      await visitor.open('/account/billing');
      await page.getByRole('button', { name: 'Set the address' }).click();
      await page.getByLabel('Name').fill('Acme Robots Ltd');
      await page.getByLabel('Address', { exact: true }).fill('1 Lamp Street\nLondon N1');
      await page.getByLabel('Country').fill('gb');
      await page.getByLabel('Tax id').fill('GB123');
      await looksGood(visitor, `billing-address-${visitor === ann ? 'wide' : 'phone'}`);
      await page.getByRole('button', { name: 'Save the address' }).click();
      await expectToSee(page.getByText('Tax id GB123'));

      await visitor.topUp(25);
      await page.getByRole('link', { name: /^Open the document of/ }).click();
      await expectToSee(page.getByRole('heading', { name: /^Invoice \d+$/, level: 1 }));
      for (const text of ['Lamps Inc', '2 Light Road', 'Acme Robots Ltd', 'No tax is computed']) {
        await expectToSee(page.getByText(text));
      }
      await looksGood(visitor, `invoice-${visitor === ann ? 'wide' : 'phone-dark'}`);
      await page.emulateMedia({ media: 'print' });
      await expectToSee(page.getByText('Acme Robots Ltd'));
      await expectSoon(() => page.getByRole('button', { name: 'Print' }).isVisible(), false);
      await expectSoon(() => page.locator('header').first().isVisible(), false);
      await visitor.keepScreenshot(`invoice-printed-${visitor === ann ? 'wide' : 'phone'}`);
    }
  });

  it('gives members a budget, shows what they spent, and ends with the organisation', async () => {
    ann = await pages.visitor();
    const bob = await pages.visitor({ width: 390, theme: 'dark' });
    for (const { page } of [ann, bob]) await page.addInitScript(AXE);
    await ann.signUp('ann@example.com');
    const org = await founds(ann, 'Acme Robots');
    const { inviteUrl } = await ann.post(`/v1/account/organisations/${org}/invites`, { role: 'developer' });
    await bob.signUp('bob@example.com');
    await bob.page.goto(String(inviteUrl));
    await bob.page.getByRole('button', { name: 'Join' }).click();
    await bob.page.getByRole('button', { name: 'Go there' }).click();
    await expectToSee(bob.page.getByText('$0.00 spent this month, without a limit'));

    await ann.open('/account/organisation');
    await ann.page.getByRole('button', { name: 'Budget of bob@example.com' }).click();
    await ann.page.getByLabel('Budget of a month, in USD').fill('0.001');
    await looksGood(ann, 'budget');
    await ann.page.getByRole('button', { name: 'Save the budget' }).click();
    await expectToSee(ann.page.getByText('$0.00 spent this month of $0.001'));
    await looksGood(ann, 'budgets');

    await bob.page.reload();
    await expectToSee(bob.page.getByText('$0.00 spent this month of $0.001'));
    await expectSoon(() => bob.page.getByRole('button', { name: /^Budget of/ }).count(), 0);
    await looksGood(bob, 'budgets-phone-dark');

    await ann.page.getByRole('button', { name: 'Delete Acme Robots' }).click();
    await expectToSee(ann.page.getByText('You leave $5.00 behind'));
    await expectToSee(ann.page.getByText('1 other member loses access'));
    await looksGood(ann, 'organisation-delete');
    await ann.page.getByLabel('Your password').fill('a long passphrase');
    await ann.page.getByRole('button', { name: 'Delete it and leave $5.00' }).click();
    await expectToSee(ann.page.getByRole('heading', { name: 'Your own organisation' }));
    await expectSoon(() => ann.page.getByLabel('Act for').count(), 0);
  });
});
