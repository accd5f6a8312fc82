import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import {
  type Browser,
  type BrowserContext,
  type JSHandle,
  type Locator,
  type Page,
  chromium,
} from 'playwright-core';

import { money } from '../../clients/console/parts/format';
import { freePort } from '../../tools/chain/free-port';
import { skipProof } from './browser';
import { chromiumFile, chromiumPath } from './chromium';
import { expectEventually } from './eventually';
import { IS_NIGHTLY } from './nightly';
import { World } from './world';

/** Suites of the pages run only if this machine has a browser. The start of a run reports if there is none. */
export const describeInBrowser = chromiumPath() === undefined ? describe.skip : describe;

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** A script for `addInitScript`, which must be added before the page opens whose `barriers` are searched. */
export const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
/** Only the findings. */
const RUN_AXE = `axe.run({ resultTypes: ['violations'] })`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** A script for `addInitScript`. It adds up the layout shifts during loading, as browsers measure them. */
export const SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput)
        window.shifts.push({ value, what: sources.map(({ node }) => node?.className ?? node?.nodeName ?? '').join(' ') });
  }).observe({ type: 'layout-shift', buffered: true });`;

const PASSWORD = 'a long passphrase';

const NIGHTLY_DISPLAYS = [
  [1440, 'dark'],
  [1024, 'light'],
  [390, 'light'],
] as const;

/** The windows and themes for each page: every width and both themes by day, all combinations in the nightly run. */
export const DISPLAYS = [
  [1440, 'light'],
  [1024, 'dark'],
  [390, 'dark'],
  ...(IS_NIGHTLY ? NIGHTLY_DISPLAYS : []),
] as const;

/** People notice a shift that is larger than this. */
const SHIFT_MAX = 0.05;

export interface Look {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
}

/** Waits until a person can see it. */
export const expectToSee = (what: Locator): Promise<void> => what.first().waitFor();

/** Waits until a look at the page finds this value. A page draws after the input, so a first look may be early. */
export const expectSoon = async <Value>(read: () => Promise<Value>, value: Value): Promise<void> => {
  await expectEventually(async () => isDeepStrictEqual(await read(), value)).catch(() => undefined);
  expect(await read()).toEqual(value);
};

/** A person at a browser of their own. */
export class Visitor {
  readonly complaints: string[] = [];
  readonly requests: string[] = [];

  constructor(
    readonly page: Page,
    readonly context: BrowserContext,
    private readonly origin: string,
    private readonly world: World,
  ) {
    page.on('console', (message) => {
      const { url } = message.location();
      // The page of an expired invite requests it, and shows that it is gone. So does the page of an unknown model.
      const isKnown = url.endsWith('/v1/account/invites/%3Atoken') || url.includes('/v1/models/');
      if (!isKnown && (message.type() === 'error' || message.type() === 'warning'))
        this.complaints.push(`${message.text()} ${url}`);
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('request', (request) => this.requests.push(request.url()));
  }

  /** Requests to other hosts. Pictures inside of a page do not count. */
  get foreignRequests(): readonly string[] {
    return this.requests.filter((url) => !url.startsWith(this.origin) && !/^(data|blob):/.test(url));
  }

  async open(path: string): Promise<void> {
    await this.page.goto(`${this.origin}${path}`);
    await this.page.locator('#main').waitFor();
  }

  /** Waits until everything that the page has requested is there. */
  async waitUntilLoaded(): Promise<void> {
    await this.page.locator('.loading').first().waitFor({ state: 'detached' });
  }

  /** Signs up without the pages, for tests of later steps. */
  async signUp(email = `p-${randomBytes(6).toString('hex')}@example.com`, proves = true): Promise<void> {
    const data = { email, password: PASSWORD };
    const answer = await this.context.request.post(`${this.origin}/v1/account/register`, { data });
    expect(answer.status()).toBe(201);
    if (proves) await skipProof(this.world, ((await answer.json()) as { id: string }).id);
  }

  /** Waits for the page after the sign-out, because a new navigation would interrupt it. */
  async signOut(): Promise<void> {
    const left = this.page.waitForURL((url) => url.pathname === '/');
    await this.page.getByRole('button', { name: 'Sign out' }).first().click();
    await left;
  }

  /** Buys credits by the sandbox checkout, without its page. */
  async topUp(usd: number, organisation?: string): Promise<void> {
    const whose: Readonly<Record<string, string>> =
      organisation === undefined ? {} : { 'x-organisation': organisation };
    const options = { data: { usd }, headers: { origin: this.origin, ...whose } };
    const { request } = this.context;
    const answer = await request.post(`${this.origin}/v1/account/billing/top-up`, options);
    const { checkoutUrl } = (await answer.json()) as { checkoutUrl: string };
    expect((await request.post(`${checkoutUrl}/pay`, { maxRedirects: 0 })).status()).toBe(303);
  }

  /** Makes a call with the session, without the pages. */
  async post(path: string, data: object): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.context.request.post(`${this.origin}${path}`, {
      data,
      headers: { origin: this.origin },
    });
    expect(answer.ok()).toBe(true);
    return (await answer.json()) as Readonly<Record<string, unknown>>;
  }

  /** An account with an example of everything. */
  async furnish(email?: string): Promise<void> {
    await this.signUp(email);
    await this.topUp(25);
    await this.post('/v1/account/keys', { name: 'my agent', expiresInDays: 90, spendLimitMicro: 5_000_000 });
    await this.post('/v1/agent/generate', { prompt: 'a lamp in the fog' });
    await this.post('/v1/agent/generate', { prompt: 'a film of a lamp', duration: 4 });
    await this.post('/v1/chat/completions', { messages: [{ role: 'user', content: 'Hello.' }] });
    await this.post('/v1/agent/references', { media: PIXEL, label: 'a single point' });
    // No event of this type happens here, so no outside server is called.
    await this.post('/v1/agent/webhooks', {
      url: 'https://example.com/hooks/lamppost',
      types: ['key.expiring'],
    });
  }

  copied(): Promise<string> {
    return this.page.evaluate('navigator.clipboard.readText()');
  }

  /** The accessibility violations of the page. The script must have been added before the page was opened. */
  async barriers(): Promise<readonly Violation[]> {
    return (await this.page.evaluate<{ violations: Violation[] }>(RUN_AXE)).violations;
  }

  /**
   * The layout shift of the page so far, and the elements that moved. Its script must have been added before the page
   * was opened.
   */
  async layoutShift(): Promise<{ readonly sum: number; readonly what: readonly string[] }> {
    const shifts = await this.page.evaluate<{ value: number; what: string }[]>('window.shifts');
    const what = shifts.map((shift) => `${shift.value.toFixed(3)} ${shift.what}`);
    return { sum: shifts.reduce((sum, { value }) => sum + value, 0), what };
  }

  /** Checks the present page: it fits its window, has no accessibility violation, and did not shift while it loaded. */
  async expectGoodDisplay(name: string): Promise<void> {
    await this.keepScreenshot(name);
    const violations = await this.barriers();
    const { sum, what } = await this.layoutShift();
    const isTooWide = await this.page.evaluate('document.documentElement.scrollWidth > innerWidth');
    expect({ name, violations, isTooWide, isStill: sum < SHIFT_MAX, what }).toEqual({
      name,
      violations: [],
      isTooWide: false,
      isStill: true,
      what,
    });
  }

  /** A file that a person drops: some words with any name and type. */
  dataTransfer(name: string, type: string): Promise<JSHandle> {
    return this.page.evaluateHandle(`(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(['words'], ${JSON.stringify(name)}, { type: ${JSON.stringify(type)} }));
      return transfer;
    })()`);
  }

  /** The form for sign-up and sign-in. */
  async enter(button: 'Sign up' | 'Sign in', email: string, password = PASSWORD): Promise<void> {
    await this.page.getByLabel('Email').fill(email);
    await this.page.getByLabel('Password').fill(password);
    await this.page.getByRole('button', { name: button }).click();
  }

  /** Saves the whole page into the folder SCREENSHOTS, if it is set, so that people can look at it. */
  async keepScreenshot(name: string): Promise<void> {
    const folder = process.env['SCREENSHOTS'];
    if (folder !== undefined)
      await this.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }
}

/** The whole service on an empty database, and a browser for its pages. */
export class Pages {
  private readonly visitors: Visitor[] = [];

  private constructor(
    readonly world: World,
    readonly origin: string,
    private readonly browser: Browser,
  ) {}

  /** The service's name is `localhost`, because browsers make passkeys under that name. */
  static async open(
    env: Readonly<Record<string, string>> = {},
    host: '127.0.0.1' | 'localhost' = '127.0.0.1',
  ): Promise<Pages> {
    const browser = await chromium.launch({
      executablePath: chromiumFile(),
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    const port = await freePort();
    const origin = `http://${host}:${port}`;
    const world = await World.start({ PUBLIC_URL: origin, ...env });
    await world.listen(port);
    return new Pages(world, origin, browser);
  }

  async visitor({ theme = 'light', width = 1200 }: Look = {}): Promise<Visitor> {
    const context = await this.browser.newContext({
      colorScheme: theme,
      viewport: { width, height: 900 },
      reducedMotion: 'reduce',
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.setDefaultTimeout(30_000);
    const visitor = new Visitor(await context.newPage(), context, this.origin, this.world);
    this.visitors.push(visitor);
    return visitor;
  }

  /** The service's price of a call, in the form that its pages show. */
  async price(call: object): Promise<{ readonly micro: number; readonly text: string }> {
    const { body } = await this.world.post('/v1/agent/quote', call);
    return { micro: body.priceMicro as number, text: money(body.priceMicro as number) };
  }

  /** Runs after each test: no browser reported an error, no other host was called, and the books balance. */
  async expectPeace(): Promise<void> {
    const leaving = this.visitors.splice(0);
    await Promise.all(leaving.map(({ context }) => context.close()));
    expect(leaving.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(leaving.flatMap(({ foreignRequests }) => foreignRequests)).toEqual([]);
    await this.world.expectBooksToBalance();
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.world.stop();
  }
}
