// npm run screenshots: starts the service as `npm start` does, and makes the pictures of docs/images from a real run. The
// moving picture shows a 402, a payment and a picture: the commands in it run in a shell, and Chromium draws their output.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { type Browser, type Page, chromium } from 'playwright-core';
import sharp from 'sharp';
import { generatePrivateKey } from 'viem/accounts';

import { chromiumFile } from '../test/support/chromium';
import { freePort } from './chain/free-port';

const ROOT = join(__dirname, '..');
const IMAGES = join(ROOT, 'docs', 'images');
const PROMPT = 'A red fox in the snow';
/** Pages of source hosts load slowly with more. */
const MOVIE_BYTES_MAX = 1_000_000;
const READY_TRIES = 240;
const TYPED_CHARS = 4;

const run = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): string => {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: ROOT, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout;
};

const startService = async (folder: string, port: number): Promise<ChildProcess> => {
  const service = spawn(process.execPath, [join(ROOT, 'dist', 'service.js')], {
    cwd: folder, // A folder without a `.env` file.
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'silent',
    },
    stdio: 'ignore',
  });
  for (let tries = 0; tries < READY_TRIES; tries++) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (answer?.ok === true) return service;
    await pause(250);
  }
  throw new Error('The service did not get ready within a minute.');
};

/** One state of the terminal, and for how long the moving picture shows it. */
interface Frame {
  readonly text: string;
  readonly picture?: string;
  readonly ms: number;
}

/** Types a command letter by letter, runs it, and shows its real output. */
class Terminal {
  readonly frames: Frame[] = [];
  private text = '';
  private picture?: string;

  constructor(private readonly env: NodeJS.ProcessEnv) {}

  type(command: string, readMs: number): string {
    for (let end = 0; end < command.length; end += TYPED_CHARS) this.add(command.slice(0, end), 60);
    this.add(command, 500);
    const output = run('bash', ['-c', `set -o pipefail; ${command} 2>&1`], this.env).trim();
    this.text += `$ ${command}\n${output}\n\n`;
    this.add('', readMs);
    return output;
  }

  show(picture: Buffer, ms: number): void {
    this.picture = `data:image/png;base64,${picture.toString('base64')}`;
    this.add('', ms);
  }

  private add(typed: string, ms: number): void {
    const { text, picture } = this;
    this.frames.push({ text: `${text}$ ${typed}█`, ...(picture === undefined ? {} : { picture }), ms });
  }
}

const found = (pattern: RegExp, text: string): string => {
  const [, value] = pattern.exec(text) ?? [];
  if (value === undefined) throw new Error(`${String(pattern)} is not in: ${text}`);
  return value;
};

/** A wallet without an account calls, pays and checks the receipt. */
const payForPicture = async (url: string, folder: string): Promise<readonly Frame[]> => {
  const command = join(folder, 'lamppost');
  const file = join(ROOT, 'clients', 'typescript', 'dist', 'esm', 'cli.js');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`);
  chmodSync(command, 0o755);
  const terminal = new Terminal({
    PATH: `${folder}:${process.env['PATH'] ?? ''}`,
    HOME: folder,
    URL: url,
    LAMPPOST_URL: url,
    LAMPPOST_PRIVATE_KEY: generatePrivateKey(),
  });
  const body = `'{"prompt":"${PROMPT}"}'`;
  const refused = terminal.type(
    `curl -si $URL/v1/agent/generate --json ${body} |\n    grep -oE '^HTTP.*|"message":"[^"]+"'`,
    2_500,
  );
  found(/(402 Payment Required)/, refused);
  const paid = terminal.type(
    `lamppost pay $URL/v1/agent/generate -d ${body} --yes --json |\n    grep -oE '"(charge|url)":"[^"]+"'`,
    2_000,
  );
  const picture = await fetch(found(/"url":"([^"]+)"/, paid));
  const small = sharp(Buffer.from(await picture.arrayBuffer()))
    .resize(480)
    .png();
  terminal.show(await small.toBuffer(), 2_000);
  found(/(signed by the service)/, terminal.type(`lamppost receipt ${found(/(ch_[\w-]+)/, paid)}`, 6_000));
  return terminal.frames;
};

const TERMINAL = `<!doctype html><style>
  body { margin: 24px; background: #14161f; color: #e8e6df; }
  pre { margin: 0; font: 14px/1.45 'DejaVu Sans Mono', monospace; white-space: pre-wrap; }
  img { position: fixed; right: 24px; bottom: 24px; width: 220px; border-radius: 8px; }
  b { color: #ffc04d; font-weight: normal; }
</style><pre></pre><figure></figure>`;

const record = async (browser: Browser, frames: readonly Frame[]): Promise<void> => {
  const page = await browser.newPage({ viewport: { width: 1000, height: 480 }, deviceScaleFactor: 1.5 });
  await page.setContent(TERMINAL);
  const shots: Buffer[] = [];
  for (const { text, picture } of frames) {
    const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const lines = safe.replaceAll(/^\$ .*(?:\n {4}.*)*$/gm, '<b>$&</b>');
    const image = picture === undefined ? '' : `<img src="${picture}">`;
    await page.evaluate(
      `document.querySelector('pre').innerHTML = ${JSON.stringify(lines)};
       if (document.querySelector('figure').innerHTML !== ${JSON.stringify(image)})
         document.querySelector('figure').innerHTML = ${JSON.stringify(image)};
       Promise.all([...document.images].map((image) => image.decode()))`,
    );
    shots.push(await page.screenshot());
  }
  await page.close();
  const delay = frames.map(({ ms }) => ms);
  const movie = await sharp(shots, { join: { animated: true } })
    .webp({ delay, loop: 0, quality: 80, effort: 6, minSize: true })
    .toBuffer();
  if (movie.length > MOVIE_BYTES_MAX) throw new Error(`The moving picture has ${movie.length} bytes.`);
  writeFileSync(join(IMAGES, 'paying.webp'), movie);
};

const keep = async (page: Page, name: string): Promise<void> => {
  const shot = await page.screenshot();
  const small = await sharp(shot).png({ palette: true, effort: 10, dither: 0.5 }).toBuffer();
  writeFileSync(join(IMAGES, `${name}.png`), small);
};

const openPage = (browser: Browser, colorScheme: 'dark' | 'light'): Promise<Page> =>
  browser.newPage({ viewport: { width: 1_400, height: 1_080 }, colorScheme, reducedMotion: 'reduce' });

const showPages = async (browser: Browser, url: string): Promise<void> => {
  const landing = await openPage(browser, 'dark');
  await landing.goto(url);
  await landing.getByText('a call, exactly').waitFor();
  await keep(landing, 'landing');

  const studio = await openPage(browser, 'light');
  const { request } = studio.context();
  const post = async (address: string, data?: object) => {
    const answer = await request.post(address, { data, headers: { origin: url }, maxRedirects: 0 });
    if (answer.status() >= 400) throw new Error(`${address}: ${answer.status()} ${await answer.text()}`);
    return answer;
  };
  await post(`${url}/v1/account/register`, { email: 'you@example.com', password: 'a long passphrase' });
  const topUp = await post(`${url}/v1/account/billing/top-up`, { usd: 10 });
  const { checkoutUrl } = (await topUp.json()) as { checkoutUrl: string };
  await post(`${checkoutUrl}/pay`);
  await studio.goto(`${url}/studio/image`);
  await studio.getByLabel('Prompt').fill(PROMPT);
  await studio.getByRole('button', { name: 'Make it for' }).click();
  await studio.getByText('Receipt').first().waitFor();
  await studio.getByText('Download').first().waitFor();
  await studio.evaluate('Promise.all([...document.images].map((image) => image.decode()))');
  await keep(studio, 'studio');
};

const main = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-screenshots-'));
  run(process.execPath, ['tools/build.mjs']);
  run(process.execPath, ['tools/build-client.mjs']);
  const port = await freePort();
  const service = await startService(folder, port);
  const browser = await chromium.launch({ executablePath: chromiumFile(), args: ['--no-sandbox'] });
  try {
    const url = `http://127.0.0.1:${port}`;
    await record(browser, await payForPicture(url, folder));
    await showPages(browser, url);
  } finally {
    await browser.close();
    service.kill();
    await once(service, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
  console.log('Wrote docs/images. Look at each picture before you commit it.');
};

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
