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

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Stops at the first words, because the sandbox is faster than a click. */
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
    await expectSoon(() => page.getByText(/^Cost/).count(), 2);
    await page.getByRole('button', { name: 'Copy the call as curl' }).click();
    const curl = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(curl).toContain(`curl -sSN '${pages.origin}/v1/chat/completions'`);
    expect(curl).toContain('"model": "lumen-lite"');
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

  it('stops before the first word, too, and names no cost that is not known', async () => {
    const { page } = visitor;
    await openRich();
    await page.getByLabel('Message').fill('Think first. [[delay 20s]]');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();

    await expectToSee(page.getByText('Stopped. Its cost is not known yet; Requests will show it.'));
    await expectToSee(page.getByRole('link', { name: /^Balance \$(5\.00|4\.99)$/ }));
  });

  it('says kindly that there is no money, and where to mend it', async () => {
    const { page } = visitor;
    await visitor.open('/studio');
    await page.getByLabel('Message').fill('Anything.');
    await page.getByRole('button', { name: 'Send' }).click();

    await expectToSee(page.getByRole('alert').getByRole('link', { name: 'Top up' }));
    await expectSoon(() => page.getByLabel('Message').inputValue(), 'Anything.');
    expect(visitor.complaints.splice(0)).toHaveLength(1); // The browser notes the 402.
  });

  it.each([
    ['quotation marks', '>'.repeat(2_002)],
    ['code spans', '`a'.repeat(4_000)],
    ['emphasis', '*a'.repeat(8_000)],
    ['code with comments', `\`\`\`js\n${'/*'.repeat(9_000)}`],
  ])('stays usable with a hostile answer of %s, also after a reload', async (_what, content) => {
    const { page } = visitor;
    await openRich();
    await page.route('**/v1/chat/completions', (route) =>
      route.fulfill({
        contentType: 'text/event-stream',
        body: [
          { choices: [{ delta: { content } }] },
          {
            choices: [],
            usage: { prompt_tokens: 3, completion_tokens: 4 },
            charge: { id: 'chg_1', priceMicro: 70 },
          },
        ]
          .map((data) => `data: ${JSON.stringify(data)}\n\n`)
          .concat('data: [DONE]\n\n')
          .join(''),
      }),
    );
    await page.getByLabel('Message').fill('Be hostile.');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectToSee(page.getByText('Cost $0.00007: 3 tokens in, 4 tokens out'));

    await page.reload();
    await expectToSee(page.locator('.said.assistant .words'));
    // The page spends its time once for each part of the answer, not for each pair of parts.
    const session = await visitor.context.newCDPSession(page);
    await session.send('Performance.enable');
    await page.getByLabel('Message').fill('Still here.');
    await expectSoon(() => page.getByLabel('Message').inputValue(), 'Still here.');
    const { metrics } = await session.send('Performance.getMetrics');
    const styles = metrics.find(({ name }) => name === 'RecalcStyleDuration');
    expect(styles?.value).toBeLessThan(2);
  });

  it('shows Markdown and code, takes a system prompt and a temperature, copies and asks again', async () => {
    const { page } = visitor;
    await openRich();
    await page.getByLabel('System prompt').fill('Answer in Markdown.');
    await page.getByLabel('Temperature').selectOption('0.3');
    const answers = [
      '# A list\n\n- **one** and `two`\n- [three](https://example.com/3) [four](javascript:alert(1))\n\n```js\nconst a = 1; // one\n```',
      'The second answer.',
    ];
    const asked: { messages: object[]; temperature?: number }[] = [];
    // The sandbox repeats its prompt; this answer has the form of a model's.
    await page.route('**/v1/chat/completions', async (route) => {
      asked.push(route.request().postDataJSON());
      const content = answers[asked.length - 1] ?? '';
      const chunks = [
        { choices: [{ delta: { content } }] },
        {
          choices: [],
          usage: { prompt_tokens: 3, completion_tokens: 4 },
          charge: { id: 'chg_1', priceMicro: 70 },
        },
      ];
      const body = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
      await route.fulfill({
        contentType: 'text/event-stream',
        body: body.map((data) => `data: ${data}\n\n`).join(''),
      });
    });
    await page.getByLabel('Message').fill('A list, please.');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectToSee(page.getByText('Cost $0.00007: 3 tokens in, 4 tokens out'));
    await expectSoon(() => page.locator('.markdown li').count(), 2);
    await expectSoon(() => page.locator('.markdown strong').innerText(), 'one');
    const href = (): Promise<string | null> => page.getByRole('link', { name: 'three' }).getAttribute('href');
    await expectSoon(href, 'https://example.com/3');
    await expectToSee(page.getByText('[four](javascript:alert(1))'));
    await expectSoon(() => page.locator('.code-word').innerText(), 'const');
    await page.getByRole('button', { name: 'Copy the code' }).click();
    await expectSoon(() => visitor.copied(), 'const a = 1; // one');
    await page.getByRole('button', { name: 'Copy the answer' }).click();
    await expectSoon(() => visitor.copied(), answers[0]);
    await visitor.keepScreenshot('chat-markdown');

    await page.getByRole('button', { name: 'Retry' }).click();
    await expectToSee(page.getByText('The second answer.'));
    await expectSoon(() => page.locator('.said').count(), 2);
    const messages = [
      { role: 'system', content: 'Answer in Markdown.' },
      { role: 'user', content: 'A list, please.' },
    ];
    expect(asked.map((body) => [body.messages, body.temperature])).toEqual([
      [messages, 0.3],
      [messages, 0.3],
    ]);
  });

  it('sends images to a model that sees, and an effort to one that reasons', async () => {
    const { page } = visitor;
    await openRich('/studio?model=lumen-flash');
    await expectSoon(() => page.getByLabel('Effort').count(), 0);
    await expectSoon(() => page.getByLabel('Add images').count(), 0);
    await page.getByLabel('Model').selectOption('lumen-ultra');
    await page.getByLabel('Effort').selectOption('high');
    await page.getByLabel('Add images').setInputFiles({
      name: 'point.png',
      mimeType: 'image/png',
      buffer: Buffer.from(PIXEL, 'base64'),
    });
    await expectToSee(page.getByRole('button', { name: 'Remove image 1' }));
    await page.getByLabel('Message').fill('What is it? [[tokens 5]]');
    const most = await page.locator('[data-test=worst]').innerText();
    const asked = page.waitForRequest('**/v1/chat/completions');
    const answered = page.waitForResponse('**/v1/chat/completions');
    await page.getByRole('button', { name: 'Send' }).click();
    const sent = (await asked).postDataJSON() as {
      reasoning_effort: string;
      messages: { content: unknown }[];
    };
    const held = Number((await answered).headers()['x-charge-micro']);

    expect(sent.reasoning_effort).toBe('high');
    expect(sent.messages.at(-1)?.content).toEqual([
      { type: 'text', text: 'What is it? [[tokens 5]]' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
    ]);
    const [dollars = ''] = /[\d.]+$/.exec(most) ?? [];
    const shown = Math.round(Number(dollars) * 1e6);
    expect(shown).toBeGreaterThanOrEqual(held);
    expect(shown).toBeLessThan(held * 1.01);
    await expectToSee(page.getByText(/^Cost/));
    await expectToSee(page.getByRole('img', { name: 'Image 1 of the question' }));
    await page.reload(); // The storage of a browser has no room for images.
    await expectToSee(page.getByText('1 image sent. A reload does not keep images.'));
  });

  it.each(DISPLAYS)(
    'can be used by everybody, %d pixels wide and %s, and nothing moves',
    async (width, theme) => {
      visitor = await pages.visitor({ width, theme });
      const { page } = visitor;
      await visitor.signUp();
      await page.addInitScript(AXE);
      await page.addInitScript(SHIFTS);
      await openRich();
      await visitor.waitUntilLoaded();
      await page.getByLabel('Message').fill('Hello. ```js\nlet a = "b"; // c\n``` [[tokens 20]]');
      await page.getByRole('button', { name: 'Send' }).click();
      await expectToSee(page.getByText(/^Cost/));
      await visitor.expectGoodDisplay(`chat-${width}-${theme}`);
    },
    60_000,
  );

  it('keeps the conversation in this browser until somebody lets it forget', async () => {
    const { page } = visitor;
    await openRich();
    await page.getByLabel('Message').fill('Remember the lamp. [[tokens 5]]');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectToSee(page.getByText(/^Cost/));
    await page.getByLabel('Message').fill('a draft');
    await visitor.open('/account/keys');
    await visitor.open('/studio');
    await expectToSee(page.getByText('Remember the lamp. [[tokens 5]]', { exact: true }));
    await expectToSee(page.getByText(/^Cost/));
    await expectSoon(() => page.getByLabel('Message').inputValue(), 'a draft');

    await visitor.open('/studio/image');
    await page.getByLabel('Prompt').fill('a lamp in the fog');
    await page.reload();
    await expectToSee(page.getByLabel('Prompt'));
    await expectSoon(() => page.getByLabel('Prompt').inputValue(), 'a lamp in the fog');
    await visitor.open('/studio');

    await page.getByRole('button', { name: 'Forget everything' }).click();
    await page.reload();
    await expectToSee(page.getByText('Ask something'));
    await page.getByLabel('Keep the studio’s work in this browser').uncheck();
    await page.getByLabel('Message').fill('not kept');
    await page.reload();
    await expectToSee(page.getByText('Ask something'));
    await expectSoon(() => page.getByLabel('Message').inputValue(), '');
  });

  it('shows what a model says as text, whatever it looks like', async () => {
    const { page } = visitor;
    await openRich();
    const evil = '<img src=x onerror=window.hit=1><script>window.hit=1</script>';
    await page.getByLabel('Message').fill(evil);
    await page.getByRole('button', { name: 'Send' }).click();
    await expectToSee(page.getByText(/^Cost/));

    await expectToSee(page.getByText(evil));
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });
});
