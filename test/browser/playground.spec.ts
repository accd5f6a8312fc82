import { isDeepStrictEqual } from 'node:util';

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

describeInBrowser('the playground, in a browser', () => {
  let pages: Pages;
  let visitor: Visitor;

  beforeAll(async () => {
    pages = await Pages.open();
  });
  beforeEach(async () => {
    visitor = await pages.visitor();
  });
  afterEach(() => pages.expectPeace());
  afterAll(() => pages.close());

  const json = async (): Promise<Record<string, unknown>> =>
    JSON.parse(await visitor.page.getByLabel('JSON').inputValue()) as Record<string, unknown>;

  const openRich = async (path = '/playground'): Promise<void> => {
    await visitor.signUp();
    await visitor.topUp(5);
    await visitor.open(path);
    await expectToSee(visitor.page.getByLabel('Prompt', { exact: true }));
  };

  it('keeps form, JSON and code in step, and names the price on the button and in the code', async () => {
    const { page } = visitor;
    await openRich('/playground?model=torch-video');
    await page.getByLabel('Prompt', { exact: true }).fill(`It's a "fox"`);
    await page.getByLabel('duration').selectOption('8');
    const wanted = { modelId: 'torch-video', prompt: `It's a "fox"`, duration: 8 };
    await expectEventually(async () => isDeepStrictEqual(await json(), wanted));

    await page
      .getByLabel('JSON')
      .fill('{"modelId":"torch-video","prompt":"An owl","duration":6,"resolution":"1080p","tag":"owls"}');
    await expectEventually(
      async () => (await page.getByLabel('Prompt', { exact: true }).inputValue()) === 'An owl',
    );
    await expectSoon(() => page.getByLabel('duration').inputValue(), '6');
    await expectSoon(() => page.getByLabel('resolution').inputValue(), '1080p');
    await page.getByText('More parameters').click();
    await expectSoon(() => page.getByLabel('tag').inputValue(), 'owls');
    const price = await pages.price({ modelId: 'torch-video', duration: 6, resolution: '1080p' });
    await expectToSee(page.getByRole('button', { name: `Send for ${price.text}`, exact: true }));
    for (const tab of ['curl', 'Python', 'TypeScript', 'x402', 'MCP']) {
      await page.getByRole('button', { name: tab, exact: true }).click();
      const code = await page.getByRole('group', { name: `the call in ${tab}` }).innerText();
      expect(code).toContain(price.text);
      expect(code).toMatch(new RegExp(`"?maxPriceMicro"?: ${price.micro}`));
      expect(code).toContain('An owl');
    }

    await page.getByLabel('JSON').fill('{"modelId": ');
    await expectToSee(page.getByText(/^This is no JSON/));
    await expectSoon(() => page.getByRole('button', { name: /^Send for/ }).isDisabled(), true);
    await page.getByLabel('Prompt', { exact: true }).fill('A heron');
    await expectEventually(async () => (await json())['prompt'] === 'A heron');
    expect(await json()).toMatchObject({ prompt: 'A heron', duration: 6 });

    await page.reload();
    await expectToSee(page.getByLabel('Prompt', { exact: true }));
    await expectSoon(() => page.getByLabel('Prompt', { exact: true }).inputValue(), 'A heron');
  });

  it('sends one call to several models and shows their results and costs side by side', async () => {
    const { page } = visitor;
    await openRich();
    await page.getByLabel('max_tokens').fill('7');
    await page.getByLabel('Compare with').selectOption('lumen-plus');
    await page.getByLabel('Compare with').selectOption('lumen-reason');
    const messages = [{ role: 'user', content: 'Say hello in three languages.' }];
    const prices = await Promise.all(
      ['lumen-flash', 'lumen-plus', 'lumen-reason'].map((modelId) =>
        pages.price({ modelId, messages, max_tokens: 7 }),
      ),
    );
    await page.getByRole('button', { name: /^Send to 3 models for \$[\d.]+$/ }).click();

    await expectToSee(page.locator('[data-test=cost]').nth(2));
    const costs = await page.locator('[data-test=cost]').allInnerTexts();
    expect(costs.map((text) => /\$[\d.]+\d/.exec(text)?.[0])).toEqual(prices.map(({ text }) => text));
    const spent = prices.reduce((sum, { micro }) => sum + micro, 0);
    const { body } = await page
      .context()
      .request.get(`${pages.origin}/v1/account`)
      .then(async (answer) => ({ body: (await answer.json()) as { balanceMicro: number } }));
    expect(body.balanceMicro).toBe(5_000_000 - spent);
    await visitor.keepScreenshot('playground-three');
  });

  it('sends by use with the most on the button, and streams', async () => {
    const { page } = visitor;
    await openRich();
    await page.getByLabel('Price', { exact: true }).selectOption('/v1/chat/completions');
    await page.getByLabel('temperature').fill('0.5');
    await page.getByText('More parameters').click();
    await page.getByLabel('top_p').fill('0.9');
    await page.getByLabel('stream', { exact: true }).selectOption('true');
    const most = await page.getByRole('button', { name: /^Send for at most/ }).innerText();
    const answered = page.waitForResponse('**/v1/chat/completions');
    await page.getByRole('button', { name: /^Send for at most/ }).click();
    const held = Number((await answered).headers()['x-charge-micro']);

    expect(most).toBe(
      `Send for at most $0.${String(held)
        .padStart(6, '0')
        .replace(/0{1,4}$/, '')}`,
    );
    await expectToSee(page.getByText(/^Cost \$0\.0000\d+: \d+ tokens in/));
    await expectSoon(() => page.getByRole('button', { name: 'MCP', exact: true }).count(), 0);
  });

  it('sends with a key whose secret the page alone keeps', async () => {
    const { page } = visitor;
    await visitor.signUp();
    await visitor.topUp(5);
    const { key, id } = await visitor.post('/v1/account/keys', { name: 'my agent', expiresInDays: 30 });
    await visitor.open('/playground');
    await page.getByLabel('Send with').selectOption(String(id));
    await page.getByRole('button', { name: /^Send for \$/ }).click();
    await expectToSee(page.getByText('Enter the secret of my agent.'));
    await page.getByLabel('Secret of my agent').fill('lp_another0000');
    await expectToSee(page.getByText(/^This is another key/));
    await page.getByLabel('Secret of my agent').fill(String(key));
    const sent = page.waitForRequest('**/v1/agent/chat');
    await page.getByRole('button', { name: /^Send for \$/ }).click();
    const headers = await (await sent).allHeaders();
    expect([headers['x-api-key'], headers['cookie']]).toEqual([key, undefined]);
    await expectToSee(page.locator('[data-test=cost]'));
    await visitor.open('/account/keys');
    await expectToSee(page.getByText(/1 call/).first());
    expect(await page.evaluate(`JSON.stringify({ ...localStorage, ...sessionStorage })`)).not.toContain(
      String(key),
    );
  });

  it('makes an image, and needs no account to show code and price', async () => {
    const { page } = visitor;
    await visitor.open('/playground?model=ember-image');
    const { text } = await pages.price({ modelId: 'ember-image' });
    await expectToSee(page.getByRole('button', { name: `Send for ${text}`, exact: true }));
    await expectSoon(() => page.getByLabel('Send with').inputValue(), 'other');

    await openRich('/playground?model=ember-image');
    await page.getByRole('button', { name: /^Send for/ }).click();
    await expectToSee(page.getByRole('img', { name: 'What Ember Image made' }));
    await expectToSee(page.getByText(new RegExp(`^Cost \\${text}`)));
  });

  it.each(DISPLAYS)('can be used by everybody, %d pixels wide and %s', async (width, theme) => {
    visitor = await pages.visitor({ width, theme });
    await visitor.page.addInitScript(AXE);
    await visitor.page.addInitScript(SHIFTS);
    await openRich('/playground?model=torch-animate');
    await visitor.page.getByText('More parameters').click();
    await visitor.expectGoodDisplay(`playground-open-${width}-${theme}`);
  });
});
