import { readFileSync } from 'node:fs';

import { AXE, Pages, type Visitor, describeInBrowser, expectToSee, expectSoon } from '../support/pages';

describeInBrowser('an organisation, in a browser', () => {
  let pages: Pages;
  let ann: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  const founded = async (name: string, email: string): Promise<void> => {
    const { page } = ann;
    await ann.signUp(email);
    await ann.open('/account/organisation');
    await page.getByRole('button', { name: 'New organisation' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Make it' }).click();
    await expectToSee(page.getByRole('heading', { name, level: 1 }));
  };

  const invited = async (role: string, email = ''): Promise<string> => {
    const { page } = ann;
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    await page.getByLabel('Role', { exact: true }).selectOption(role);
    await page.getByLabel('Email').fill(email);
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = await page.getByRole('group', { name: 'the link', exact: true }).innerText();
    await page.getByRole('button', { name: 'I have it' }).click();
    return link;
  };

  it('is made, joined by a link after a sign-up, shared, looked through and left', async () => {
    ann = await pages.visitor();
    const bob = await pages.visitor({ width: 390, theme: 'dark' });
    await bob.page.addInitScript(AXE);
    await founded('Acme Robots', 'ann@example.com');
    const link = await invited('developer', 'bob@example.com');
    await expectToSee(ann.page.getByRole('button', { name: /^Withdraw the invite of bob@example\.com/ }));

    // A person without an account makes one first.
    await bob.page.goto(link);
    for (const fact of ['Acme Robots', 'ann@example.com', 'developer']) {
      await expectToSee(bob.page.getByRole('definition').filter({ hasText: fact }));
    }
    await expectToSee(bob.page.getByText('Only bob@example.com can join.'));
    expect({ violations: await bob.barriers() }).toEqual({ violations: [] });
    await bob.keepScreenshot('invite-guest-phone-dark');
    await bob.page.getByRole('link', { name: 'Make an account' }).click();
    await bob.enter('Sign up', 'bob@example.com');
    await bob.page.getByRole('button', { name: 'Join' }).click();
    await expectToSee(bob.page.getByRole('heading', { name: 'Welcome to Acme Robots' }));
    await bob.page.getByRole('button', { name: 'Go there' }).click();
    await expectToSee(bob.page.getByRole('heading', { name: 'Acme Robots', level: 1 }));
    expect({ violations: await bob.barriers() }).toEqual({ violations: [] });
    await bob.keepScreenshot('organisation-phone-dark');
    await expectSoon(() => bob.page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
    await expectSoon(() => bob.page.getByRole('button', { name: 'Invite', exact: true }).count(), 0);

    await bob.open('/account/keys');
    await bob.page.getByRole('button', { name: 'New key' }).click();
    await bob.page.getByLabel('Name').fill('of a developer');
    await bob.page.getByRole('button', { name: 'Make the key' }).click();
    await bob.page.getByRole('button', { name: 'I have it' }).click();
    await expectToSee(bob.page.getByText('Made by'));

    // The person's own things stay separate.
    await bob.page.getByLabel('Act for').selectOption('Yourself');
    await expectToSee(bob.page.getByText('No keys yet'));
    await bob.page.getByLabel('Act for').selectOption('Acme Robots');
    await expectToSee(bob.page.getByRole('heading', { name: 'of a developer' }));

    await ann.page.reload();
    await ann.page.getByRole('link', { name: 'Audit' }).click();
    await expectToSee(ann.page.getByRole('cell', { name: 'made the key of a developer' }));
    await ann.keepScreenshot('audit');
    await ann.page.getByLabel('What', { exact: true }).selectOption('key made');
    await expectToSee(ann.page.getByRole('cell', { name: 'made the key of a developer' }));
    const kept = async (name: string): Promise<string> => {
      const [file] = await Promise.all([
        ann.page.waitForEvent('download'),
        ann.page.getByRole('button', { name }).click(),
      ]);
      return readFileSync(await file.path(), 'utf8');
    };
    expect((await kept('Export CSV')).trim().split('\r\n')).toHaveLength(2);
    expect(JSON.parse(await kept('Export JSON'))).toMatchObject([
      { action: 'key.made', who: { email: 'bob@example.com' }, text: 'made the key of a developer' },
    ]);

    await ann.page.getByRole('link', { name: 'Members' }).click();
    await ann.page.getByRole('button', { name: 'Role of bob@example.com' }).click();
    await ann.page.getByLabel('Role', { exact: true }).selectOption('viewer');
    await expectToSee(ann.page.getByText('The keys that they have made are disabled'));
    await ann.page.getByRole('button', { name: 'Give it' }).click();
    await expectToSee(
      ann.page.getByRole('listitem').filter({ hasText: 'bob@' }).getByText('viewer', { exact: true }),
    );
    await ann.page.getByRole('button', { name: 'Remove bob@example.com' }).click();
    await ann.keepScreenshot('organisation-remove');
    await ann.page.getByRole('button', { name: 'Remove', exact: true }).click();
    await ann.page.getByText('bob@example.com').first().waitFor({ state: 'detached' });

    // The page of a removed member continues with their own account.
    await bob.page.reload();
    await expectToSee(bob.page.getByText('No keys yet'));
    expect(bob.complaints.splice(0).every((complaint) => complaint.includes('404'))).toBe(true);

    await ann.page.getByRole('button', { name: 'Leave Acme Robots' }).click();
    await ann.page.getByRole('button', { name: 'Leave', exact: true }).click();
    await expectToSee(ann.page.getByText('You are the last owner here'));
    expect(ann.complaints.splice(0)).toHaveLength(1); // The browser notes the 409.
  });

  it('follows what happens to it, and says why an invite does not fit', async () => {
    ann = await pages.visitor();
    await ann.page.addInitScript(AXE);
    await founded('Lamps Ltd', 'cy@example.com');
    const { page } = ann;
    const link = await invited('admin', 'somebody@example.com');
    expect({ violations: await ann.barriers() }).toEqual({ violations: [] });
    await ann.keepScreenshot('organisation');
    await page.getByRole('button', { name: 'Invite', exact: true }).click();
    expect({ violations: await ann.barriers() }).toEqual({ violations: [] });
    await ann.keepScreenshot('organisation-invite');
    await page.keyboard.press('Escape');

    // A payment appears without a reload, because the page follows the organisation's stream.
    const org = await page.evaluate<string>(`sessionStorage.getItem('organisation')`);
    await ann.topUp(5, org);
    await expectToSee(page.getByRole('link', { name: 'Balance $5.00' }));

    await page.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Lanterns Ltd');
    await page.getByRole('button', { name: 'Rename it' }).click();
    await expectToSee(page.getByRole('heading', { name: 'Lanterns Ltd', level: 1 }));

    await page.goto(link);
    await expectToSee(page.getByRole('definition').filter({ hasText: 'Lanterns Ltd' }));
    await page.getByRole('button', { name: 'Join' }).click();
    await expectToSee(page.getByText('This invite is for another email address than yours.'));
    expect({ violations: await ann.barriers() }).toEqual({ violations: [] });
    await ann.keepScreenshot('invite');
    expect(ann.complaints.splice(0)).toHaveLength(1); // The browser notes the 403.
  });

  it('offers nobody what their role would be refused', async () => {
    const PAGES = {
      '/account/keys': ['New key', /^Limits/, /^New secret/, /^Disable/, /^Delete/],
      '/account/webhooks': ['New endpoint', /^Send a test/, /^Change/, /^New secret/, /^Disable/, /^Delete/],
      '/references': ['Choose files', /^Delete/],
      '/account/billing': [/^Top up/, 'Save alerts'],
      '/account/organisation': ['Invite', /^Role of/, /^Remove/],
    };
    ann = await pages.visitor();
    await ann.furnish('dee@example.com');
    await ann.open('/account/organisation');
    const own = ann.page;
    const guests: Visitor[] = [];
    for (const role of ['viewer', 'billing']) {
      const link = await invited(role);
      const guest = await pages.visitor();
      await guest.signUp();
      await guest.page.goto(link);
      await guest.page.getByRole('button', { name: 'Join' }).click();
      await guest.page.getByRole('button', { name: 'Go there' }).click();
      guests.push(guest);
    }
    for (const [path, names] of Object.entries(PAGES)) {
      await ann.open(path);
      for (const name of names) await expectToSee(own.getByRole('button', { name }).first());
      for (const guest of guests) {
        await guest.open(path);
        await expectToSee(guest.page.getByRole('link', { name: /^Balance \$/ }));
        await guest.waitUntilLoaded();
        const isPayer = guest === guests[1] && path === '/account/billing';
        for (const name of isPayer ? names : []) await expectToSee(guest.page.getByRole('button', { name }));
        for (const name of isPayer ? [] : names)
          expect([name, await guest.page.getByRole('button', { name }).count()]).toEqual([name, 0]);
      }
    }
    for (const { page } of guests) {
      await page.goto(`${pages.origin}/studio`);
      await expectToSee(page.getByText('Your role here can only view'));
      await expectSoon(() => page.getByRole('button', { name: 'Send' }).isDisabled(), true);
    }
  });
});
