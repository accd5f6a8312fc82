import { EVENT_TYPES } from '#notices/outbox/event-types';
import { expectEventually } from '../support/eventually';
import { AXE, Pages, type Visitor, describeInBrowser, expectToSee, expectSoon } from '../support/pages';
import { Receiver, answering } from '../webhooks/receiver';

describeInBrowser('webhooks, in a browser', () => {
  let pages: Pages;
  let receiver: Receiver;
  let visitor: Visitor;

  beforeAll(async () => {
    receiver = await new Receiver().start();
    pages = await Pages.open({ FETCH_ALLOW_HOSTS: '127.0.0.1' });
  });
  beforeEach(async () => {
    receiver.manner = answering(200);
    receiver.received.length = 0;
    visitor = await pages.visitor();
    await visitor.signUp();
  });
  afterEach(() => pages.expectPeace());
  afterAll(async () => {
    await pages.close();
    await receiver.stop();
  });

  const add = async (types?: readonly string[]): Promise<void> => {
    const { page } = visitor;
    await visitor.topUp(5);
    await visitor.open('/account/webhooks');
    await page.getByRole('button', { name: 'New endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'New endpoint' });
    await dialog.getByLabel('Address').fill(receiver.url);
    if (types !== undefined) {
      await dialog.getByRole('button', { name: 'None' }).click();
      for (const type of types) await dialog.getByLabel(type, { exact: true }).check();
    }
    await visitor.keepScreenshot('webhooks-new');
    await dialog.getByRole('button', { name: 'Add it' }).click();
  };

  it.each(['light', 'dark'] as const)('keeps nobody out of its dialogs: %s', async (theme) => {
    visitor = await pages.visitor({ theme, width: 390 });
    await visitor.signUp();
    await visitor.page.addInitScript(AXE);
    await add();
    await expectToSee(visitor.page.getByRole('dialog', { name: 'Its secret' }));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.page.getByRole('button', { name: 'I have it' }).click();

    await visitor.page.getByRole('button', { name: /^Deliveries/ }).click();
    await visitor.page.getByRole('button', { name: /^Change/ }).click();
    await expectToSee(visitor.page.getByRole('dialog', { name: 'Change the endpoint' }));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.page.keyboard.press('Escape');
    await visitor.waitUntilLoaded();
    await visitor.keepScreenshot(`webhooks-phone-${theme}`);
    expect(await visitor.barriers()).toEqual([]);
    await expectSoon(() => visitor.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
  });

  it('shows a secret once, and what the endpoint says to a test', async () => {
    const { page } = visitor;
    await add();
    const secret = page.getByRole('dialog', { name: 'Its secret' });
    await expectToSee(secret.getByText(/^whsec_/));
    await visitor.keepScreenshot('webhooks-secret');
    await secret.getByRole('button', { name: 'I have it' }).click();
    await page.reload();
    await expectToSee(page.getByRole('heading', { name: receiver.url }));
    await expectSoon(() => page.getByText(/whsec_/).count(), 0);

    await page.getByRole('button', { name: /^Send a test/ }).click();
    await expectToSee(page.getByText('It answered 200, which is fine.'));
    receiver.manner = answering(500);
    await page.getByRole('button', { name: /^Send a test/ }).click();
    await expectToSee(page.getByText('It answered 500; it should answer 200 to 299.'));
    expect(receiver.types).toEqual(['webhook.test', 'webhook.test']);
  });

  it('lists what was sent as it is sent, and sends it again', async () => {
    const { page } = visitor;
    await add(['job.done']);
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('button', { name: /^Deliveries/ }).click();
    await expectToSee(page.getByText('Nothing was sent yet'));

    await visitor.post('/v1/agent/generate', { prompt: 'a lamp' });
    await expectToSee(page.getByRole('row', { name: /job\.done delivered 1 200/ }));
    await visitor.keepScreenshot('webhooks-deliveries');
    await page.getByRole('button', { name: /^Send again: job\.done/ }).click();

    await expectEventually(() => receiver.received.length === 2);
    await expectToSee(page.getByRole('row', { name: /job\.done delivered/ }));
    expect(receiver.types).toEqual(['job.done', 'job.done']);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(1);
    await page.getByLabel('State').selectOption('failed');
    await expectToSee(page.getByText('Nothing was sent yet'));
  });

  it('shows what a try sent and received, and checks its signature', async () => {
    const { page } = visitor;
    await visitor.page.addInitScript(AXE);
    await add(['job.done']);
    const secret = await page.getByRole('group', { name: 'the secret' }).innerText();
    await page.getByRole('button', { name: 'I have it' }).click();
    await page.getByRole('button', { name: /^Deliveries/ }).click();
    receiver.manner = (response) => void response.writeHead(500).end('<b>no database</b>');
    await page.getByRole('button', { name: /^Send a test/ }).click();
    const tries = page.getByRole('list', { name: 'Tries' });
    await tries.getByRole('button', { name: /^webhook\.test/ }).click();
    await expectToSee(page.getByText('<b>no database</b>', { exact: true }));
    await expectToSee(
      page.getByRole('group', { name: 'the sent body' }).getByText(/"type": "webhook\.test"/),
    );
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('webhooks-tries');

    const [received] = receiver.received;
    await page.getByText('Check a signature').click();
    await page.getByLabel('Secret', { exact: true }).fill(secret);
    await page.getByLabel('webhook-id').fill(received!.id);
    await page.getByLabel('webhook-timestamp').fill(received!.headers['webhook-timestamp']!);
    await page.getByLabel('webhook-signature').fill(received!.headers['webhook-signature']!);
    await page.getByLabel('Body, exactly as it came').fill(received!.body);
    await page.getByRole('button', { name: 'Check it' }).click();
    await expectToSee(page.getByText('The signature matches.'));
    await page.getByLabel('Body, exactly as it came').fill(`${received!.body} `);
    await page.getByRole('button', { name: 'Check it' }).click();
    await expectToSee(page.getByText(/^The signature does not match\./));
    expect(await visitor.barriers()).toEqual([]);
  });

  it('changes, disables, renews and deletes an endpoint, by keyboard', async () => {
    const { page } = visitor;
    await add();
    await page.getByRole('button', { name: 'I have it' }).click();
    const press = async (name: RegExp | string): Promise<void> => {
      await page.getByRole('button', { name }).last().focus();
      await page.keyboard.press('Enter');
    };

    await press(/^Change/);
    const change = page.getByRole('dialog', { name: 'Change the endpoint' });
    await expectToSee(change);
    await expectSoon(() => change.locator('.choices label').allTextContents(), [...EVENT_TYPES]);
    await change.getByRole('button', { name: 'None' }).click();
    await change.getByLabel('job.failed', { exact: true }).focus();
    await page.keyboard.press('Space');
    await press('Change it');
    await expectToSee(page.getByRole('definition').filter({ hasText: /^job\.failed$/ }));

    await press(/^Disable/);
    await expectToSee(page.getByText('You have disabled it.'));
    await press(/^Enable/);
    await page.getByText('You have disabled it.').waitFor({ state: 'detached' });

    await press(/^New secret/);
    await page.getByLabel('The old one signs on for').selectOption('0');
    await press('Make the secret');
    await expectToSee(page.getByRole('dialog', { name: 'Its secret' }).getByText(/^whsec_/));
    await press('I have it');

    await press(/^Delete/);
    await press('Delete it');
    await expectToSee(page.getByText('No endpoints yet'));
  });

  it('says what an address must be, and that somebody must have paid', async () => {
    const { page } = visitor;
    await visitor.open('/account/webhooks');
    await expectToSee(page.getByText('No endpoints yet'));
    await page.getByRole('button', { name: 'New endpoint' }).click();
    const dialog = page.getByRole('dialog', { name: 'New endpoint' });
    await dialog.getByLabel('Address').fill(receiver.url);
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await expectToSee(dialog.getByRole('link', { name: 'Top up' }));

    await visitor.topUp(5);
    await dialog.getByLabel('Address').fill('https://10.0.0.1/hook');
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await expectToSee(dialog.getByText(/^The address must be a public https address/));
    expect(visitor.complaints.splice(0)).toHaveLength(2); // The browser notes the 402 and the 400.
  });
});
