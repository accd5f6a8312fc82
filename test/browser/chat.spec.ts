import { Pages, type Visitor, describeInBrowser, expectToSee } from '../support/pages';

/** The sandbox speaks faster than a test can click. */
const STOP_SOON = `new MutationObserver(() => {
  const said = document.querySelector('.said.assistant .words');
  if (said?.innerText.length > 20) document.querySelector('button.danger')?.click();
}).observe(document.body, { subtree: true, childList: true, characterData: true })`;

describeInBrowser('chat in the studio, in a browser', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  beforeEach(async () => {
    visitor = await pages.visitor();
    await visitor.signUp();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  const openRich = async (path = '/studio'): Promise<void> => {
    await visitor.topUp(5);
    await visitor.open(path);
  };

  it('streams an answer, says before what it may cost and afterwards what it did', async () => {
    const { page } = visitor;
    await openRich();
    await page.getByLabel('Message').fill('Say something, naïvely: “ünïcödé” 🦊. [[tokens 40]]');
    const most = await page.locator('[data-test=worst]').innerText();
    const answered = page.waitForResponse('**/v1/chat/completions');
    await page.keyboard.press('Enter');
    const held = Number((await answered).headers()['x-charge-micro']);

    expect(most).toBe(
      `At most $0.${String(held)
        .padStart(6, '0')
        .replace(/0{1,4}$/, '')}`,
    );
    await expectToSee(page.getByText(/^Cost \$0\.0000\d+: \d+ tokens in, 40 tokens out$/));
    await visitor.keepScreenshot('chat-light');
    const [cost = ''] = /\$[\d.]+/.exec(await page.getByText(/^Cost/).innerText()) ?? [];
    await visitor.open('/account/billing');
    await expectToSee(page.getByRole('row', { name: new RegExp(`charge lumen-flash −\\${cost}`) }));
  });

  it('remembers what was said, and the model and length in the address', async () => {
    const { page } = visitor;
    await openRich('/studio?model=lumen-lite&tokens=256');
    for (const text of ['First. [[tokens 5]]', 'Second. [[tokens 5]]']) {
      await page.getByLabel('Message').fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
      await expectToSee(page.getByRole('button', { name: 'Send' }));
    }
    expect(await page.getByText(/^Cost/).count()).toBe(2);
    await page.getByRole('button', { name: 'Copy the call as curl' }).click();
    const curl = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(curl).toContain(`curl -N ${pages.origin}/v1/chat/completions`);
    expect(curl).toContain('"model":"lumen-lite"');
    expect(curl).toContain('Second.');
  });

  it('stops on request, and shows the price of the text so far', async () => {
    const { page } = visitor;
    await openRich();
    await page.getByLabel('Message').fill('Go on for long. [[tokens 8000]]');
    await page.getByLabel('Length of an answer').selectOption('8192');
    await page.evaluate(STOP_SOON);
    await page.getByRole('button', { name: 'Send' }).click();

    await expectToSee(page.getByText(/^Stopped\. Cost \$0\.00\d+$/));
  });

  it('stops before the first word, too, and says that what was sent is charged', async () => {
    const { page } = visitor;
    await openRich();
    await page.getByLabel('Message').fill('Think first. [[delay 20s]]');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();

    await expectToSee(
      page.getByText('Stopped. It had said nothing yet; what the model was sent is charged.'),
    );
    await expectToSee(page.getByRole('link', { name: /^Balance \$(5\.00|4\.99)$/ }));
  });

  it('says kindly that there is no money, and where to mend it', async () => {
    const { page } = visitor;
    await visitor.open('/studio');
    await page.getByLabel('Message').fill('Anything.');
    await page.getByRole('button', { name: 'Send' }).click();

    await expectToSee(page.getByRole('alert').getByRole('link', { name: 'Top up' }));
    expect(await page.getByLabel('Message').inputValue()).toBe('Anything.');
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The browser notes the 402.
  });

  it('shows what a model says as text, whatever it looks like', async () => {
    const { page } = visitor;
    await openRich();
    const evil = '<img src=x onerror=window.hit=1><script>window.hit=1</script>';
    await page.getByLabel('Message').fill(evil);
    await page.getByRole('button', { name: 'Send' }).click();
    await expectToSee(page.getByText(/^Cost/));

    expect(await page.getByText(evil).count()).toBeGreaterThan(0);
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });
});
