import { StrictApp, chatBy } from '../support/oauth-browser';
import { AXE, Pages, type Visitor, describeInBrowser, expectToSee } from '../support/pages';

describeInBrowser('connected apps, in a browser', () => {
  let pages: Pages;
  let app: StrictApp;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
    app = new StrictApp(pages.world);
    // The browser of these tests calls no other host, so a page of ours is in the place of the program of the app.
    Object.assign(app, { redirect: `${pages.origin}/guides` });
    await app.register();
  });
  beforeEach(async () => {
    visitor = await pages.visitor();
    await visitor.page.addInitScript(AXE);
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  it('are allowed on a page that everybody can use, after a sign-in that comes back', async () => {
    const { page } = visitor;
    await visitor.signUp();
    await visitor.topUp(5);
    await page.goto(`${pages.origin}${app.authorizeUrl()}`);
    await expectToSee(page.getByRole('heading', { name: 'Let Strict App spend your credits?' }));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('oauth-consent');
    await page.getByLabel('At most, in US dollars').fill('2.50');
    await page.getByRole('button', { name: 'Allow Strict App' }).click();
    await page.waitForURL('**/guides?*');

    const code = new URL(page.url()).searchParams.get('code') ?? '';
    const { body } = await app.exchange(code);
    await chatBy(pages.world, body.access_token as string);
    await visitor.open('/account/connections');
    await expectToSee(page.getByRole('heading', { name: 'Strict App' }));
    await expectToSee(page.getByText('of $2.50'));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('connections');

    await page.getByRole('button', { name: 'Disconnect Strict App' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await expectToSee(page.getByText('No apps yet'));
    expect((await app.refresh(body.refresh_token as string)).body.error).toBe('invalid_grant');
  });

  it('are denied with a button, too', async () => {
    const { page } = visitor;
    await visitor.signUp();
    await page.goto(`${pages.origin}${app.authorizeUrl()}`);
    await page.getByRole('button', { name: 'Deny' }).click();

    await page.waitForURL('**/guides?error=*');
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  it('ask a stranger to make an account first, and the page fits a narrow screen', async () => {
    const { page } = visitor;
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`${pages.origin}${app.authorizeUrl()}`);
    await expectToSee(page.getByRole('heading', { name: 'Sign in' }));
    await page.getByRole('banner').getByRole('link', { name: 'Sign up' }).click();
    await visitor.enter('Sign up', 'somebody.with.a.very.long.name@a.very.long.host.example');

    await expectToSee(page.getByRole('button', { name: 'Allow Strict App' }));
    await expectToSee(page.getByText('There are no credits yet'));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await visitor.keepScreenshot('oauth-consent-narrow');
  });
});
