import { randomUUID } from 'node:crypto';

import { expectEventually } from '../support/eventually';
import {
  AXE,
  DISPLAYS,
  Pages,
  SHIFTS,
  type Visitor,
  describeInBrowser,
  expectToSee,
  expectSoon,
} from '../support/pages';

const CHAT = { messages: [{ role: 'user', content: 'hello' }], max_tokens: 16 };
/** Text that a page must not interpret as markup. */
const EVIL = `"><img src=x onerror="window.hit=1"><script>window.hit=1</script>{{7*7}}'`;

describeInBrowser('an account, in a browser', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  beforeEach(async () => {
    visitor = await pages.visitor({ width: 1440 });
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  const makeKey = async (name: string, limit = ''): Promise<string> => {
    const { page } = visitor;
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Any 30 days, in USD').fill(limit);
    await page.getByRole('button', { name: 'Make the key' }).click();
    const shown = page.getByRole('group', { name: 'the key', exact: true });
    const key = await shown.innerText();
    await page.getByRole('button', { name: 'Copy the key' }).click();
    await expectSoon(() => visitor.copied(), key);
    await page.getByRole('button', { name: 'I have it' }).click();
    return key;
  };

  it('is made, left and entered again, and where one wanted to go is remembered', async () => {
    const { page } = visitor;
    await visitor.open('/account/billing');
    expect(page.url()).toBe(`${pages.origin}/account/sign-in?next=account%2Fbilling`);
    await page.getByRole('link', { name: 'Make an account' }).click();
    await visitor.enter('Sign up', 'one@example.com');
    await expectToSee(page.getByRole('heading', { name: 'Billing', level: 1 }));

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).click();
    await visitor.enter('Sign in', 'one@example.com');

    await expectToSee(page.getByRole('heading', { name: 'Keys', level: 1 }));
    expect(visitor.complaints.splice(0)).toEqual([]);
  });

  it('goes nowhere else after the sign-in, whatever the address says', async () => {
    const { page } = visitor;
    for (const next of [
      'https://evil.example/',
      '//evil.example',
      'javascript:alert(1)',
      '\\\\evil.example',
    ]) {
      await page.goto('about:blank'); // A page that still loads would ask to sign in.
      await visitor.context.clearCookies();
      await visitor.open(`/account/sign-up?next=${encodeURIComponent(next)}`);
      await visitor.enter('Sign up', `${randomUUID()}@example.com`);
      await expectToSee(page.getByRole('button', { name: 'Sign out' }));
      expect(page.url().startsWith(`${pages.origin}/`)).toBe(true);
    }
  });

  it('says beside the field what is wrong', async () => {
    const { page } = visitor;
    const someone = await pages.visitor();
    await someone.signUp('three@example.com');

    await visitor.open('/account/sign-up');
    await visitor.enter('Sign up', 'three@example.com');
    await expectToSee(page.getByText('There is an account with this email address. Sign in instead.'));
    await expectSoon(() => page.getByLabel('Email').getAttribute('aria-invalid'), 'true');

    await visitor.open('/account/sign-in');
    await visitor.enter('Sign in', 'three@example.com', 'not my password');
    await expectToSee(page.getByText('The email address or the password is wrong.'));

    await visitor.open('/account/sign-up');
    await visitor.enter('Sign up', 'three-b@example.com', 'password1234');
    await expectToSee(page.getByText(/^The password is a common one/));

    expect(visitor.complaints.splice(0)).toHaveLength(3); // The browser notes a 409, a 401 and a 400.
  });

  it('changes its password, which ends the other sessions', async () => {
    const elsewhere = await pages.visitor();
    await visitor.signUp('four@example.com');
    await elsewhere.open('/account/sign-in');
    await elsewhere.enter('Sign in', 'four@example.com');
    await expectToSee(elsewhere.page.getByRole('heading', { name: 'Keys', level: 1 }));

    const { page } = visitor;
    await visitor.open('/account');
    await page.getByLabel('Password now').fill('a long passphrase');
    await page.getByLabel('New password').fill('the second passphrase');
    await page.getByRole('button', { name: 'Change it' }).click();
    await expectToSee(page.getByText('Your password is changed.'));

    await elsewhere.open('/account/keys');
    expect(elsewhere.page.url()).toContain('/account/sign-in');
    await visitor.open('/account/keys');
    expect(page.url()).toContain('/account/keys');
  });

  it('lists where somebody is signed in, and signs one of them out', async () => {
    const elsewhere = await pages.visitor({ width: 1440 });
    await visitor.signUp('four-b@example.com');
    await elsewhere.open('/account/sign-in');
    await elsewhere.enter('Sign in', 'four-b@example.com');
    await expectToSee(elsewhere.page.getByRole('heading', { name: 'Keys', level: 1 }));

    const { page } = visitor;
    await page.addInitScript(AXE);
    await visitor.open('/account');
    const sessions = page.getByRole('list', { name: 'Sessions' }).getByRole('listitem');
    await expectToSee(sessions.getByText('this browser'));
    await expectSoon(() => sessions.count(), 2);
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('account-sessions');
    await sessions.getByRole('button', { name: /^Sign out: / }).click();
    await sessions.nth(1).waitFor({ state: 'detached' });

    await elsewhere.open('/account/keys');
    expect(elsewhere.page.url()).toContain('/account/sign-in');
    await visitor.open('/account/keys');
    expect(page.url()).toContain('/account/keys');
  });

  it('makes, disables, enables and deletes keys, each after what it says', async () => {
    const { page } = visitor;
    await visitor.signUp('five@example.com');
    await visitor.open('/account/keys');
    const key = await makeKey('agent one', '25');
    expect(key).toMatch(/^lp_[A-Za-z0-9]{64}$/);

    const line = page.getByRole('listitem').filter({ hasText: 'agent one' });
    await expectToSee(line.getByText('of $25.00'));
    await expectSoon(() => page.getByText(key).count(), 0);
    await line.getByRole('button', { name: 'Disable agent one' }).click();
    await expectToSee(line.getByText('disabled', { exact: true }));
    const refused = await pages.world.get('/v1/agent/balance', { 'x-api-key': key });
    expect(refused.body.error.code).toBe('KEY_DISABLED');
    await line.getByRole('button', { name: 'Enable agent one' }).click();
    await expectToSee(line.getByText('active', { exact: true }));

    await line.getByRole('button', { name: 'Delete agent one' }).click();
    await page.getByRole('button', { name: 'Keep it' }).click();
    await line.getByRole('button', { name: 'Delete agent one' }).click();
    await page.getByRole('button', { name: 'Delete the key' }).click();
    await expectToSee(page.getByText('No keys yet'));
  });

  it('shows a key’s calls and spending', async () => {
    const { page } = visitor;
    await visitor.signUp('six@example.com');
    await visitor.open('/account/keys');
    const key = await makeKey('spender');
    const { body } = await pages.world.get('/v1/admin/accounts', {
      authorization: 'Bearer an-admin-token-for-tests',
    });
    const account = (body.accounts as { id: string; email: string }[]).find(
      ({ email }) => email === 'six@example.com',
    );
    await pages.world.post(
      `/v1/admin/accounts/${account!.id}/credit`,
      { amountMicro: 1_000_000, reason: 'a test' },
      { authorization: 'Bearer an-admin-token-for-tests' },
    );
    const paid = await pages.world.post('/v1/agent/generate', { prompt: 'a lamp' }, { 'x-api-key': key });
    expect(paid.status).toBe(200);

    await visitor.open('/account/keys');

    await expectToSee(page.getByText('1 call', { exact: true }));
    await expectToSee(page.getByText((await pages.price({ modelId: 'ember-image' })).text));
    await expectToSee(page.getByText('just now'));
  });

  it('limits a key, says what it would be refused, and shows what it has handed on', async () => {
    const { page } = visitor;
    await visitor.signUp('eight@example.com');
    await visitor.open('/account/keys');
    const key = await makeKey('boss');
    const handed = await pages.world.post(
      '/v1/agent/keys',
      { name: 'helper', limitMicro: 2_500_000, expiresInSeconds: 3_600 },
      { 'x-api-key': key },
    );
    expect(handed.status).toBe(201);

    await page.addInitScript(AXE);
    await visitor.open('/account/keys');
    const below = page.getByRole('list', { name: 'Delegated by boss' });
    await expectToSee(below.getByRole('heading', { name: 'helper' }));
    await expectToSee(below.getByText('of $2.50'));

    await page.getByRole('button', { name: 'Limits of helper' }).click();
    await expectToSee(page.getByText('It may do all that your account may.'));
    await expectSoon(() => page.getByLabel('Ever, in USD').inputValue(), '2.5');
    await page.getByLabel('Films').uncheck();
    await page.getByLabel('One call, in USD').fill('0.001');
    await expectToSee(page.getByText('It would be refused: films; calls above $0.001.'));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('key-limits');
    await page.getByRole('button', { name: 'Save' }).click();
    await expectToSee(below.getByText('Refused: films; calls above $0.001.', { exact: true }));
    const film = await pages.world.post('/v1/agent/chat', CHAT, { 'x-api-key': handed.body.key });
    expect(film.body.error.code).toBe('KEY_SCOPE');

    await page.getByRole('button', { name: 'New secret for boss' }).click();
    await page.getByRole('button', { name: 'Make the secret' }).click();
    await page.getByRole('button', { name: 'I have it' }).click();
    await expectToSee(page.getByText(/The old secret works until/));
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('keys-handed-on');
  });

  it('makes a capped key for a coding agent, with the lines of the guide to paste', async () => {
    const { page } = visitor;
    await visitor.signUp('agent@example.com');
    await visitor.topUp(25);
    await page.addInitScript(AXE);
    await visitor.open('/account/keys');
    await page.getByRole('button', { name: 'Key for a coding agent' }).click();
    await page.getByLabel('It may spend at most').fill('a lot');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await expectToSee(page.getByText('The limit must be an amount in dollars'));
    await page.getByLabel('It may spend at most').fill('2.50');
    await expectToSee(page.getByText('It ends after $2.50 or 30 days.'));
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByRole('group', { name: 'the key', exact: true }).innerText();
    const claude = page.getByRole('group', { name: 'the settings of Claude Code' });
    await expectToSee(claude);
    expect(await claude.innerText()).toContain(`export ANTHROPIC_API_KEY=${key}`);
    expect(await visitor.barriers()).toEqual([]);
    await visitor.keepScreenshot('key-for-an-agent');
    for (const name of ['Codex', 'Gemini CLI', 'opencode']) {
      await page.getByRole('button', { name, exact: true }).click();
      const settings = page.getByRole('group', { name: `the settings of ${name}` });
      const texts = await settings.allInnerTexts();
      expect(texts.join('\n')).toContain(key);
      expect(texts.join('\n')).toContain(pages.origin);
    }
    await page.getByRole('button', { name: 'I have it' }).click();

    const line = page.getByRole('listitem').filter({ hasText: 'coding agent' });
    await expectToSee(line.getByText('$2.50 ever'));
    const picture = await pages.world.post('/v1/agent/generate', { prompt: 'x' }, { 'x-api-key': key });
    expect(picture.body.error.code).toBe('KEY_SCOPE');
    const text = { ...CHAT, model: 'lumen-chat' };
    const said = await pages.world.post('/v1/chat/completions', text, { 'x-api-key': key, 'x-session': 'a' });
    expect(said.status).toBe(200);
    await pages.world.post('/v1/chat/completions', text, { 'x-api-key': key, 'x-session': 'a' });
    await expectEventually(async () => {
      const log = await page.context().request.get(`${pages.origin}/v1/account/requests`);
      const { requests } = (await log.json()) as { requests: { session?: object }[] };
      return requests.filter(({ session }) => session !== undefined).length === 2;
    });
    await visitor.open('/account/requests');
    const session = page.getByRole('row', { name: /session 2 calls/ });
    await session.getByRole('button').click();
    await page
      .getByRole('row', { name: /charged/ })
      .first()
      .getByRole('button')
      .click();
    await expectToSee(page.getByText(/2 calls, \$0\.\d+ so far/));
    await visitor.keepScreenshot('session-of-an-agent');
    await page.getByRole('button', { name: 'All calls of the session' }).click();
    await expectToSee(page.getByText(/Only calls of the session/));
    expect(await visitor.barriers()).toEqual([]);
  });

  it('has one form for all about a key, at its creation and after, and shows what it could lose', async () => {
    const { page } = visitor;
    await visitor.signUp('nine@example.com');
    await visitor.topUp(25);
    await visitor.open('/account/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Name').fill('scoped');
    await page.getByLabel('A day, in USD').fill('a lot');
    await page.getByRole('button', { name: 'Make the key' }).click();
    await expectToSee(page.getByText('An amount in dollars, such as 25 or 0.50.'));
    await page.getByLabel('A day, in USD').fill('3');
    await page.getByLabel('Models', { exact: true }).selectOption('ember-image');
    await page.getByRole('button', { name: 'Make the key' }).click();
    const key = await page.getByRole('group', { name: 'the key', exact: true }).innerText();
    await page.getByRole('button', { name: 'I have it' }).click();

    const line = page.getByRole('listitem').filter({ hasText: 'scoped' });
    await expectToSee(line.getByText('$3.00 a day'));
    await expectToSee(line.getByText('$3.00', { exact: true }));
    await expectToSee(line.getByText('Refused: models other than ember-image.'));
    const other = await pages.world.post('/v1/agent/chat', CHAT, { 'x-api-key': key });
    expect(other.body.error.code).toBe('KEY_SCOPE');

    await page.getByRole('button', { name: 'Limits of scoped' }).click();
    await expectSoon(() => page.getByLabel('A day, in USD').inputValue(), '3');
    await page.getByLabel('Name').fill('renamed');
    await page.getByLabel('Expires').selectOption('Never');
    await page.getByRole('button', { name: 'Remove ember-image' }).click();
    await page.getByLabel('A day, in USD').fill('');
    await page.getByRole('button', { name: 'Save' }).click();
    const renamed = page.getByRole('listitem').filter({ hasText: 'renamed' });
    await expectToSee(renamed.getByText('$25.00', { exact: true }));
    await expectToSee(renamed.getByText('never', { exact: true }).nth(1));
    await expectSoon(() => renamed.getByText('Refused').count(), 0);
    await expectToSee(renamed.getByRole('img', { name: 'renamed, the last 30 days: $0.00' }));
  });

  it.each(DISPLAYS)(
    'shows keys to everybody, %d pixels wide and %s, and nothing moves',
    async (width, theme) => {
      const someone = await pages.visitor({ width, theme });
      await someone.furnish();
      await someone.page.addInitScript(AXE);
      await someone.page.addInitScript(SHIFTS);
      await someone.open('/account/keys');
      await someone.waitUntilLoaded();
      await expectToSee(someone.page.getByText('Can still spend today'));
      await someone.expectGoodDisplay(`keys-${width}-${theme}`);
      await someone.page.getByRole('button', { name: 'Limits of my agent' }).click();
      await expectSoon(() => someone.page.getByLabel('Any 30 days, in USD').inputValue(), '5');
      await someone.expectGoodDisplay(`key-form-${width}-${theme}`);
    },
    60_000,
  );

  it('keeps a name that looks like a script as the text that it is', async () => {
    const { page } = visitor;
    await visitor.signUp('seven@example.com');
    await visitor.open('/account/keys');
    await makeKey(EVIL);

    await expectToSee(page.getByRole('heading', { name: EVIL }));
    await visitor.open('/account/keys');
    await expectToSee(page.getByRole('heading', { name: EVIL }));

    expect(await page.evaluate('window.hit')).toBeUndefined();
    await expectSoon(() => page.locator('img[src=x]').count(), 0);
  });
});

describeInBrowser('too many tries, in a browser', () => {
  let pages: Pages;

  beforeAll(async () => {
    pages = await Pages.open({ RATE_LIMIT_SIGN_IN: '2' });
  });
  afterAll(() => pages.close());

  it('are answered with how long to wait', async () => {
    const visitor = await pages.visitor();
    const { page } = visitor;
    await visitor.open('/account/sign-in');
    await page.getByLabel('Email').fill('nobody@example.com');
    await page.getByLabel('Password').fill('a guess');
    for (const said of ['is wrong', 'is wrong', 'The limit "signIn" is 2 calls a minute. Wait']) {
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expectToSee(page.getByText(said));
    }
    visitor.complaints.splice(0); // Two 401 and the 429 that this test is about.
    await pages.expectPeace();
  });
});
