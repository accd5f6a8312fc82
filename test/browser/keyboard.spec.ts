import { expectEventually } from '../support/eventually';
import { Pages, type Visitor, describeInBrowser, expectToSee, expectSoon } from '../support/pages';

/** The words that a screen reader says for the focused element. */
const HERE = `(() => {
  const here = document.activeElement;
  return (here.getAttribute('aria-label') ?? here.labels?.[0]?.innerText ?? here.innerText ?? '').trim();
})()`;

const TABS_MAX = 60;

describeInBrowser('somebody without a mouse', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
    visitor = await pages.visitor({ width: 1440 });
  });
  afterAll(() => pages.close());

  const press = (key: string): Promise<void> => visitor.page.keyboard.press(key);

  /** Presses the tab key until this element has the focus. Each focused element must show its focus. */
  const goTo = async (name: string): Promise<void> => {
    for (let turn = 0; turn < TABS_MAX; turn += 1) {
      if ((await visitor.page.evaluate(HERE)) === name) {
        const outline = await visitor.page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
        expect({ name, outline }).toEqual({ name, outline: 'solid' });
        return;
      }
      await press('Tab');
    }
    throw new Error(`${name} cannot be reached with the tab key.`);
  };

  const type = async (label: string, text: string): Promise<void> => {
    await goTo(label);
    await visitor.page.keyboard.type(text);
  };

  it('signs up, makes a key and talks to a model', async () => {
    const { page } = visitor;
    await visitor.open('/');
    await press('Tab');
    await expectSoon(() => page.evaluate(HERE), 'Skip to the content');
    await press('Enter');
    await expectSoon(() => page.evaluate('document.activeElement.id'), 'main');
    await goTo('Make an account');
    await press('Enter');
    await page.waitForURL('**/account/sign-up');

    await type('Email', 'keys@example.com');
    await type('Password', 'a long passphrase');
    await press('Enter');
    await expectToSee(page.getByRole('heading', { name: 'Keys', level: 1 }));

    await goTo('New key');
    await press('Enter');
    await type('Name', 'by keyboard');
    await type('Expires', '1 year');
    await goTo('Make the key');
    await press('Enter');
    await expectToSee(page.getByRole('dialog', { name: 'Your new key' }));
    await goTo('Copy the key');
    await press('Enter');
    await expectEventually(async () => (await visitor.copied()).startsWith('lp_'));
    await press('Escape');
    await expectToSee(page.getByRole('heading', { name: 'by keyboard' }));

    await visitor.topUp(1);
    await page.reload();
    await goTo('Studio');
    await press('Enter');
    await page.waitForURL('**/studio');
    await type('Message', 'Hello. [[tokens 12]]');
    await press('Enter');
    await expectToSee(page.getByText(/^Cost \$0\.0000\d+: \d+ tokens in, 12 tokens out$/));
    await expectSoon(() => page.evaluate(HERE), 'Message');
  });

  it('makes an organisation and invites somebody', async () => {
    const { page } = visitor;
    await visitor.open('/account/organisation');
    await goTo('New organisation');
    await press('Enter');
    await type('Name', 'Acme Robots');
    await press('Enter');
    await expectToSee(page.getByRole('heading', { name: 'Acme Robots', level: 1 }));

    await goTo('Invite');
    await press('Enter');
    await type('Role', 'viewer');
    await type('Email', 'bob@example.com');
    await press('Enter');
    await expectToSee(page.getByRole('dialog', { name: 'The invite' }));
    await goTo('Copy the link');
    await press('Enter');
    await expectEventually(async () => (await visitor.copied()).includes('/account/invites/'));
    await press('Escape');
    await expectToSee(page.getByText('As viewer, until'));
    await pages.expectPeace();
  });
});
