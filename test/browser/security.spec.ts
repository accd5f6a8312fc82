import { Secret, TOTP } from 'otpauth';

import { expectEventually } from '../support/eventually';
import { MailServer } from '../support/mail-server';
import { AXE, DISPLAYS, Pages, SHIFTS, type Visitor, describeInBrowser, expectToSee } from '../support/pages';

const PASSWORD = 'a long passphrase';

/** Adds an authenticator to the browser, which confirms its person. */
const withAuthenticator = async ({ context, page }: Visitor): Promise<void> => {
  const session = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
};

/** The present code of the app, or a later one if the present code was used. */
const codeOf = (secret: string, ahead = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + ahead * 30_000 });

describeInBrowser('the security of an account, in a browser', () => {
  const mails = new MailServer();
  let pages: Pages;

  beforeAll(async () => {
    await mails.start();
    pages = await Pages.open(mails.env, 'localhost');
  });
  afterEach(() => pages.expectPeace());
  afterAll(async () => {
    await pages.close();
    await mails.stop();
  });

  it('is one passkey from the account page to the next sign-in', async () => {
    const visitor = await pages.visitor({ width: 1440 });
    const { page } = visitor;
    await withAuthenticator(visitor);
    await page.addInitScript(AXE);
    await visitor.signUp('keys@example.com');
    await visitor.open('/account');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('My phone');
    await dialog.getByLabel('Your password').fill('not my password');
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await expectToSee(dialog.getByText('This is not your password.'));
    expect(await visitor.barriers()).toEqual([]);
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Add it' }).click();
    await expectToSee(page.getByText('My phone', { exact: true }));

    await visitor.signOut();
    await visitor.open('/account/sign-in');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expectToSee(page.getByRole('heading', { name: 'Keys', level: 1 }));

    await visitor.open('/account');
    await page.getByRole('button', { name: 'Remove the passkey My phone' }).click();
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Remove the passkey' }).click();
    await page.getByText('My phone', { exact: true }).waitFor({ state: 'detached' });
    await visitor.signOut();
    await visitor.open('/account/sign-in');
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await expectToSee(page.getByRole('alert').filter({ hasText: 'not accepted' }));
    expect(visitor.complaints.splice(0)).toHaveLength(2); // The browser notes both refusals.
  });

  it('waits for the proof of the address, which the page asks for and a mailed link gives', async () => {
    const visitor = await pages.visitor({ width: 1440 });
    const { page } = visitor;
    await page.addInitScript(AXE);
    await visitor.signUp('proof@example.com', false);
    await visitor.open('/account');
    await expectToSee(page.getByText('Your address is not proven yet.'));
    expect(await visitor.barriers()).toEqual([]);
    await page.getByRole('button', { name: 'Send the link again' }).click();
    await expectToSee(page.getByText('The mail is sent.'));
    await expectEventually(() => mails.proofsTo('proof@example.com').length === 2);

    await mails.stop();
    await page.getByRole('button', { name: 'Send the link again' }).click();
    await expectToSee(page.getByText('The mail could not be sent.'));
    expect(await page.getByText('The mail is sent.').count()).toBe(0);
    await mails.start();

    await visitor.open('/account/billing');
    await expectToSee(page.getByText('Your address is not proven yet.'));
    await visitor.open('/account/keys');
    await expectToSee(page.getByText('Your address is not proven yet.'));
    await page.setViewportSize({ width: 390, height: 800 });
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('agent');
    await dialog.getByRole('button', { name: 'Make the key' }).click();
    const refusal = dialog.getByText('This needs a proven email address.');
    await expectToSee(refusal);
    await expectEventually(async () => {
      const { y = -1, height = 0 } = (await refusal.boundingBox()) ?? {};
      return y >= 0 && y + height <= 800;
    });
    expect(await dialog.getByRole('link', { name: 'Send the link again' }).getAttribute('href')).toBe(
      'account',
    );
    expect(visitor.complaints.splice(0)).toHaveLength(2); // The browser notes both refusals.

    // The page is open in this tab, so its link loads nothing.
    await visitor.open('/account');
    const follow = (token: string): Promise<unknown> => page.evaluate(`location.hash = 'prove=${token}'`);
    await follow('1234567890123.abc');
    await expectToSee(page.getByText('The link is too old, incomplete, or for another account.'));
    await expectToSee(page.getByRole('button', { name: 'Send the link again' }));
    expect(visitor.complaints.splice(0)).toHaveLength(1);
    await follow(mails.proofsTo('proof@example.com').at(-1)!);
    await expectToSee(page.getByText('Your address is proven.'));
    await page.getByText('Your address is not proven yet.').waitFor({ state: 'detached' });
    await visitor.open('/account/keys');
    await expectToSee(page.getByRole('heading', { name: 'Keys', level: 1 }));
    expect(await page.getByText('Your address is not proven yet.').count()).toBe(0);
  });

  it('proves the address by a link that was opened before the sign-in', async () => {
    const [first, second] = [await pages.visitor({ width: 1440 }), await pages.visitor({ width: 390 })];
    await first.signUp('elsewhere@example.com', false);
    await expectEventually(() => mails.proofsTo('elsewhere@example.com').length === 1);
    const { page } = second;

    await second.open(`/account#prove=${mails.proofsTo('elsewhere@example.com')[0]}`);
    await page.getByLabel('Email').fill('elsewhere@example.com');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();

    await expectToSee(page.getByText('Your address is proven.'));
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.getByText('Your address is not proven yet.').count()).toBe(0);
  });

  it('has an authenticator app: set up by its secret, asked for at the next sign-in, closed with its code', async () => {
    const visitor = await pages.visitor({ width: 1440 });
    const { page } = visitor;
    await page.addInitScript(AXE);
    await visitor.signUp('app@example.com');
    await visitor.topUp(25);
    await visitor.open('/account');
    await page.getByRole('button', { name: 'Set up an app' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByRole('button', { name: 'Continue' }).click();
    const qr = dialog.getByRole('img', { name: /^QR code/ });
    await expectToSee(qr);
    await expectEventually(() => qr.evaluate((image: { naturalWidth: number }) => image.naturalWidth > 0));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('second-factor');
    const secret = await dialog.getByRole('group', { name: 'the secret' }).innerText();
    await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret));
    await dialog.getByRole('button', { name: 'Turn it on' }).click();
    const codes = (await dialog.getByRole('group', { name: 'the recovery codes' }).innerText()).split('\n');
    expect(codes).toHaveLength(10);
    await dialog.getByRole('button', { name: 'I have saved them' }).click();
    await expectToSee(page.getByText('10 recovery codes are left'));

    await visitor.signOut();
    await visitor.open('/account/sign-in?next=account');
    await visitor.enter('Sign in', 'app@example.com');
    await expectToSee(page.getByLabel('Code', { exact: true }));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('sign-in-code');
    await page.getByLabel('Code', { exact: true }).fill('000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectToSee(page.getByText(/was used before/));
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, 1));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expectToSee(page.getByRole('heading', { name: 'Account', level: 1 }));

    await page.getByRole('button', { name: 'Close the account' }).click();
    await expectToSee(dialog.getByText(/You leave \$25/));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('close-account');
    await dialog.getByLabel('Your password').fill(PASSWORD);
    await dialog.getByLabel('Code', { exact: true }).fill(codes[0]!);
    await dialog.getByRole('button', { name: 'Close it for good' }).click();
    await expectToSee(page.getByRole('link', { name: 'Sign in' }));
    await visitor.open('/account/sign-in');
    await visitor.enter('Sign in', 'app@example.com');
    await expectToSee(page.getByText(/This account is closed/));
    expect(visitor.complaints.splice(0)).toHaveLength(3); // Two sign-ins with a wrong code, and one that is blocked.
  });

  it('gets a new password by a mailed link', async () => {
    const visitor = await pages.visitor({ width: 390 });
    const { page } = visitor;
    await page.addInitScript(AXE);
    await visitor.signUp('lost@example.com');
    await visitor.context.clearCookies();
    await visitor.open('/account/sign-in');
    await page.getByRole('link', { name: 'Forgotten password?' }).click();
    await page.getByLabel('Email').fill('lost@example.com');
    await page.getByRole('button', { name: 'Send the link' }).click();
    await expectToSee(page.getByText(/a mail is on its way/));
    const link = (): string | undefined =>
      mails
        .to('lost@example.com')
        .map(({ raw }) => /\/account\/reset#[\w-]{43}/.exec(raw.replaceAll('=\r\n', ''))?.[0])
        .find((found) => found !== undefined);
    await expectEventually(() => link() !== undefined);

    await visitor.open(link()!);
    await page.getByLabel('New password').fill('password1234');
    await page.getByRole('button', { name: 'Set it' }).click();
    await expectToSee(page.getByText(/is a common one/));
    await page.getByLabel('New password').fill('the second passphrase');
    await page.getByRole('button', { name: 'Set it' }).click();
    await expectToSee(page.getByText(/Your new password is set/));
    expect(await visitor.barriers()).toEqual([]);
    expect(page.url()).toBe(`${pages.origin}/account/reset`);
    await page.getByRole('link', { name: 'Sign in' }).last().click();
    await visitor.enter('Sign in', 'lost@example.com', 'the second passphrase');
    await expectToSee(page.getByRole('heading', { name: 'Account', level: 1 }));
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The refusal of the common password.
  });

  it.each(DISPLAYS)('has pages that fit, %d pixels wide and %s', async (width, theme) => {
    const visitor = await pages.visitor({ width, theme });
    const { page } = visitor;
    await page.addInitScript(AXE);
    await page.addInitScript(SHIFTS);
    for (const path of ['/account/sign-in', '/account/forgot', '/account/reset', '/account/reset#token']) {
      await page.goto('about:blank');
      await visitor.open(path);
      await visitor.expectGoodDisplay(`${path.replaceAll(/[/#]/g, '_')}-${width}-${theme}`);
    }
    await visitor.signUp();
    await visitor.open('/account');
    await visitor.waitUntilLoaded();
    await visitor.expectGoodDisplay(`account-security-${width}-${theme}`);
  });
});
