import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { WebSocket } from 'undici';

const NAMES = [process.env['CHROMIUM'], 'chromium', 'chromium-browser', 'google-chrome'];

/** The browser of this machine, or undefined where there is none; then the suites that need one are skipped. */
export const chromiumPath = (): string | undefined =>
  NAMES.find((name) => name !== undefined && spawnSync(name, ['--version']).status === 0);

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

const CLOSE_MS_MAX = 5_000;

/** One page of a headless browser, steered over its debugging protocol, with everything that it complains of. */
export class Page {
  readonly complaints: string[] = [];
  private readonly waiting = new Map<number, (message: Message) => void>();
  private sent = 0;

  private constructor(
    private readonly browser: ChildProcess,
    private readonly folder: string,
    private readonly socket: WebSocket,
  ) {
    socket.addEventListener('message', ({ data }) => this.hear(JSON.parse(String(data)) as Message));
  }

  static async open(chromium: string): Promise<Page> {
    const folder = mkdtempSync(join(tmpdir(), 'lamppost-chromium-'));
    const browser = spawn(
      chromium,
      [
        '--headless=new',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-dev-shm-usage',
        '--window-size=1200,1600',
        '--remote-debugging-port=0',
        `--user-data-dir=${folder}`,
        'about:blank',
      ],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const port = await debuggingPort(browser);
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(targets.find(({ type }) => type === 'page')!.webSocketDebuggerUrl);
    await once(socket, 'open');
    const page = new Page(browser, folder, socket);
    for (const domain of ['Page', 'Log', 'Runtime', 'Network']) await page.send(`${domain}.enable`);
    return page;
  }

  async goTo(url: string): Promise<void> {
    await this.send('Page.navigate', { url });
  }

  /** The value of an expression in the page. */
  async value<T>(expression: string): Promise<T> {
    const { result } = await this.send('Runtime.evaluate', { expression, returnByValue: true });
    return (result as { value: T }).value;
  }

  async screenshot(): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data as string, 'base64');
  }

  async close(): Promise<void> {
    const gone = once(this.browser, 'exit');
    // One that is killed leaves helpers behind, who write on into its folder. The answer may not come any more.
    void this.send('Browser.close');
    const late = setTimeout(() => this.browser.kill('SIGKILL'), CLOSE_MS_MAX);
    await gone;
    clearTimeout(late);
    this.socket.close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  private send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    this.sent += 1;
    const id = this.sent;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result ?? {}) : reject(new Error(`${method}: ${error.message}`)),
      );
      this.socket.send(JSON.stringify({ id, method, params }));
    });
  }

  private hear(message: Message): void {
    if (message.id !== undefined) {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
      return;
    }
    const { method, params = {} } = message;
    const isError =
      method === 'Runtime.exceptionThrown' ||
      (method === 'Log.entryAdded' && (params['entry'] as { level: string }).level !== 'verbose') ||
      (method === 'Runtime.consoleAPICalled' &&
        ['error', 'warning', 'assert'].includes(String(params['type']))) ||
      method === 'Network.loadingFailed' ||
      (method === 'Network.responseReceived' && (params['response'] as { status: number }).status >= 400);
    if (isError) this.complaints.push(`${method} ${JSON.stringify(params).slice(0, 1_000)}`);
  }
}

const debuggingPort = async (browser: ChildProcess): Promise<string> => {
  let text = '';
  for await (const bytes of browser.stderr!) {
    text += String(bytes);
    const port = /DevTools listening on ws:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
    if (port !== undefined) {
      browser.stderr!.destroy();
      return port;
    }
  }
  throw new Error(`Chromium did not start: ${text}`);
};
