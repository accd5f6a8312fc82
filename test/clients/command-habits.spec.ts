import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { generatePrivateKey } from 'viem/accounts';

import { isGenuineWebhook } from '../../clients/typescript/src/lamppost';
import { VERSION } from '../../clients/typescript/src/version';
import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { type Run, installClient, runCommand, runShell } from '../support/code-blocks';
import { expectEventually } from '../support/eventually';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { World } from '../support/world';

const EVIL = '\u001B]52;c;ZXZpbA==\u0007\u001B[2J\u009B31m\u202Egnp';
const SHELL_SCRIPT = '#!/bin/sh\ntouch /tmp/owned\n';

/** A server whose answers contain characters that a terminal or a shell would execute. */
class Trickster extends LoopbackServer {
  readonly received: Received[] = [];
  /** The address to which it redirects callers. */
  location: string | undefined;
  answer: { status: number; type: string; body: string | Buffer } = {
    status: 400,
    type: 'application/json',
    body: JSON.stringify({
      error: { code: `X${EVIL}`, message: `No${EVIL}` },
      docs: EVIL,
      fix: { prompt: EVIL },
    }),
  };

  protected override serve(received: Received, response: ServerResponse): void {
    this.received.push(received);
    if (this.location !== undefined) {
      response.writeHead(307, { location: this.location }).end();
      return;
    }
    const { status, type, body } = this.answer;
    response.writeHead(status, { 'content-type': type }).end(body);
  }
}

jest.setTimeout(120_000);

describe('the habits of the command line', () => {
  let world: World;
  let url: string;
  let program: string;
  let folder: string;
  let caller: KeyCaller;
  let trickster: Trickster;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}`, FETCH_ALLOW_HOSTS: '127.0.0.1' });
    url = await world.listen(port);
    program = join(installClient(), 'cli.js');
    caller = await KeyCaller.register(world, 50_000_000n);
  });
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'habits-'));
    trickster = await new Trickster().start();
  });
  afterEach(async () => {
    await trickster.stop();
    rmSync(folder, { recursive: true });
    await world.expectBooksToBalance();
  });
  afterAll(() => world.stop());

  const environment = (env: Readonly<Record<string, string>> = {}) => ({
    LAMPPOST_URL: url,
    LAMPPOST_KEY: caller.key,
    LAMPPOST_PRIVATE_KEY: '',
    ...env,
  });
  const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> =>
    runCommand(process.execPath, [program, ...args], folder, environment(env));
  const start = (args: readonly string[], stdio: SpawnOptions['stdio'] = 'pipe') =>
    spawn(process.execPath, [program, ...args], {
      cwd: folder,
      env: { ...process.env, ...environment() },
      stdio,
    });
  const shell = (line: string): Promise<Run> =>
    runShell(`cd ${folder}\nlamppost() { '${process.execPath}' '${program}' "$@"; }\n${line}`, environment());
  const balance = async (): Promise<number> =>
    Number(/[\d.]+/.exec((await run(['balance'])).output)![0]) * 1e6;

  it('shows nothing of a file of stored keys that it cannot read', async () => {
    mkdirSync(join(folder, 'lamppost'));
    writeFileSync(join(folder, 'lamppost', 'keys.json'), `{"${url}": "lp_secret`);
    const { exitCode, errors } = await run(['balance'], { LAMPPOST_KEY: '', XDG_CONFIG_HOME: folder });

    expect([exitCode, errors]).toEqual([2, expect.stringContaining('it is no valid JSON')]);
    expect(errors).not.toContain('secret');
  });

  it('answers with the key of a test account that it cannot store', async () => {
    symlinkSync('/nowhere/at-all', join(folder, 'lamppost'));
    const config = { LAMPPOST_KEY: '', XDG_CONFIG_HOME: folder };
    const { exitCode, errors } = await run(['chat', 'Hello.'], config);

    expect([exitCode, errors]).toEqual([0, expect.stringMatching(/could not be stored.*LAMPPOST_KEY=lp_/s)]);
  });

  describe('before words of others', () => {
    const isHarmless = (text: string): boolean => !/[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]/u.test(text);

    it.each<[string, string[]]>([
      ['an error', ['chat', 'Hello.']],
      ['an error as JSON', ['chat', 'Hello.', '--json']],
      ['what an address answers', ['pay', 'ADDRESS']],
      ['what a service says of itself', ['doctor', 'ADDRESS']],
    ])('shows %s without what a terminal would obey', async (_, args) => {
      const named = args.map((one) => (one === 'ADDRESS' ? trickster.origin : one));
      const { output, errors } = await run(named, { LAMPPOST_URL: trickster.origin });

      expect([isHarmless(output), isHarmless(errors)]).toEqual([true, true]);
      if (args.includes('--json')) expect(JSON.parse(output).error.message).toBe(`No${EVIL}`);
      else expect(`${output}${errors}`).not.toBe('');
    });

    it('shows the words of an answer without what a terminal would obey', async () => {
      const chunk = { choices: [{ index: 0, delta: { content: `Hello${EVIL}` } }] };
      const end = { choices: [], charge: { id: 'ch_1', priceMicro: 5 } };
      const body = [chunk, end].map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
      trickster.answer = { status: 200, type: 'text/event-stream', body: `${body}data: [DONE]\n\n` };
      const { output } = await run(['chat', 'Hello.'], { LAMPPOST_URL: trickster.origin });

      expect(output).toMatch(/^Hello\\u001b\]52/);
      expect(isHarmless(output)).toBe(true);
    });

    it('makes no line to be pasted of a key that is none', async () => {
      const answers: Record<string, object> = {
        '/v1/agent/manifest.json': { sandbox: ['card payments'] },
        '/v1/account/keys': { key: 'lp_x; touch owned' },
        '/v1/account/billing/top-up': { checkoutUrl: `${trickster.origin}/checkout` },
      };
      trickster.answer.status = 200;
      jest
        .spyOn(trickster as unknown as { serve: Trickster['serve'] }, 'serve')
        .mockImplementation(({ path }: Received, response: ServerResponse) => {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(answers[path] ?? {}));
        });
      const { errors } = await run(['chat', 'Hello.'], { LAMPPOST_URL: trickster.origin, LAMPPOST_KEY: '' });

      expect(errors).not.toContain('touch owned');
    });
  });

  describe('paying an address', () => {
    it('sends headers and body to no host but the one that was named', async () => {
      const thief = await new Trickster().start();
      trickster.location = `${thief.origin}/collect`;
      const byHeader = await run(['pay', trickster.origin, '-H', 'x-api-key: secret']);
      const byBody = await run(['pay', trickster.origin, '-d', 'secret']);
      const received = thief.received.length;
      await thief.stop();

      expect([byHeader.exitCode, byBody.exitCode, received]).toEqual([3, 3, 0]);
      expect(byHeader.errors).toContain('Name that address instead.');
    });

    it('goes on where nothing is carried along, and to the same host', async () => {
      trickster.location = `${url}/v1/agent/models`;
      const { exitCode, output } = await run(['pay', trickster.origin, '-o', 'models.json']);

      expect([exitCode, output]).toEqual([0, 'models.json\n']);
    });

    it.each([
      ['application/x-sh', SHELL_SCRIPT, 'setup.bin'],
      ['image/x-sh', SHELL_SCRIPT, 'setup.bin'],
      ['video/../../sh', SHELL_SCRIPT, 'setup.bin'],
      ['application/octet-stream', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'setup.png'],
    ])('names a file of the type %s by its bytes', async (type, body, file) => {
      trickster.answer = { status: 200, type, body };
      const { output } = await run(['pay', `${trickster.origin}/setup`]);

      expect([output, readdirSync(folder)]).toEqual([`${file}\n`, [file]]);
    });
  });

  it('ends quietly when nobody reads on, and stops what costs', async () => {
    const { output, errors, exitCode } = await shell(
      'set -o pipefail; lamppost chat "Count. [[tokens 4000]]" | head -c 5; echo " ${PIPESTATUS[0]}"',
    );

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toMatch(/^.{5} 0\n$/s);
    expect((await shell('lamppost models | head -1')).errors).toBe('');
  });

  it('prints what was made, and says beside that what it cost', async () => {
    const chat = await run(['chat', 'Hello.']);
    const image = await run(['image', 'A red fox']);

    expect(chat.output).not.toContain('$');
    expect([chat.errors, image.errors]).toEqual([
      expect.stringMatching(/^\$0\.\d+\n$/),
      expect.stringMatching(/^\$0\.\d+ {2}ch_\S+\n$/),
    ]);
    expect(image.output).toBe('a-red-fox.png\n');
  });

  it('reads the standard input, and writes to the standard output', async () => {
    const { exitCode, errors, output } = await shell(
      'lamppost image A fox -o - > first.png && cat first.png | lamppost image Redder --image - -o - > second.png\n' +
        'echo "Hello there." | lamppost chat; echo "Hello there." | lamppost chat "Say:" -',
    );

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: expect.stringMatching(/^(\$.*\n){4}$/) });
    for (const name of ['first.png', 'second.png'])
      expect(readFileSync(join(folder, name)).subarray(1, 4).toString()).toBe('PNG');
    expect(output.trim()).not.toBe('');
  });

  it('costs the same as JSON', async () => {
    const before = await balance();
    await run(['chat', 'Hello there.', '--tokens', '50']);
    const between = await balance();
    const { output } = await run(['chat', 'Hello there.', '--tokens', '50', '--json']);
    const said = JSON.parse(output) as { text: string; usage: object; charge: { micro: number } };

    expect(before - between).toBe(said.charge.micro);
    expect([said.text === '', said.usage]).toEqual([
      false,
      expect.objectContaining({ prompt_tokens: expect.any(Number) }),
    ]);
  });

  it('says its version, which is that of its package', async () => {
    const { version } = JSON.parse(
      readFileSync(join(__dirname, '../../clients/typescript/package.json'), 'utf8'),
    ) as { version: string };

    expect((await run(['--version'])).output).toBe(`${version}\n`);
    expect(VERSION).toBe(version);
  });

  it.each([
    ['imgae', 'lamppost image'],
    ['topup', 'lamppost top-up'],
    ['constructor', 'lamppost --help'],
    ['--modle', '--model'],
  ])('suggests for %s what was meant', async (typed, meant) => {
    const { exitCode, errors } = await run([typed, 'x']);

    expect([exitCode, errors]).toEqual([2, expect.stringContaining(meant)]);
  });

  it('ends with 1 when the job that it waits for has failed', async () => {
    const { exitCode, errors, output } = await run(['video', 'A film [[fail]]', '--json']);
    expect({ exitCode, errors }).toEqual({ exitCode: 1, errors: expect.any(String) });
    const { jobId } = JSON.parse(output).error as { jobId: string };

    const waited = await run(['jobs', 'wait', jobId]);
    expect(waited).toEqual({ exitCode: 1, errors: '', output: expect.stringMatching(/^failed/) });
  });

  it('says for what it waits', async () => {
    let asked = 0;
    jest
      .spyOn(trickster as unknown as { serve: Trickster['serve'] }, 'serve')
      .mockImplementation((_: Received, response: ServerResponse) => {
        asked += 1;
        const error = { code: 'RATE_LIMITED', message: `Six calls a minute.${EVIL}`, retryable: true };
        response.writeHead(asked === 1 ? 429 : 200, { 'retry-after': '2' });
        response.end(JSON.stringify(asked === 1 ? { error } : { balanceMicro: 5_000_000 }));
      });
    const { output, errors } = await run(['balance'], { LAMPPOST_URL: trickster.origin });

    expect([output, errors]).toEqual([
      '$5.00\n',
      expect.stringMatching(/^Waiting 2 s: Six calls a minute\. /),
    ]);
  });

  it('makes a key with a given end', async () => {
    const made = await run(['keys', 'create', 'helper', '--max', '0.5', '--expires', '2h', '--json']);
    const hours = (Date.parse(JSON.parse(made.output).expiresAt as string) - Date.now()) / 3_600_000;

    expect(hours).toBeCloseTo(2, 1);
    expect((await run(['keys', 'create', 'x', '--max', '1', '--expires', 'soon'])).exitCode).toBe(2);
  });

  it('asks before it tops up by more than a dollar, and takes no amount that nobody can top up', async () => {
    const wallet = { LAMPPOST_KEY: '', LAMPPOST_PRIVATE_KEY: generatePrivateKey() };
    const [unasked, agreed, tooMuch, above] = [
      await run(['top-up', '5'], wallet),
      await run(['top-up', '5', '--yes'], wallet),
      await run(['top-up', '5000', '--yes'], wallet),
      await run(['top-up', '5', '--yes', '--max', '2'], wallet),
    ];

    expect([unasked.exitCode, unasked.errors]).toEqual([3, expect.stringContaining('Nothing was signed')]);
    expect([agreed.exitCode, agreed.output]).toEqual([0, "$5.00 in the wallet's balance\n"]);
    expect([tooMuch.exitCode, above.exitCode]).toEqual([2, 3]);
    expect((await run(['balance'], wallet)).output).toBe('$5.00\n');
  });

  it('says what became of a film that Ctrl-C has stopped', async () => {
    const before = await balance();
    const child = start(['video', 'Waves [[delay 30s]]', '--tag', 'stopped']);
    const errors = text(child.stderr!);
    const isThere = async (): Promise<boolean> =>
      (await world.db.rows(`select from job where tag = 'stopped'`)).length > 0;
    await expectEventually(isThere);
    child.kill('SIGINT');
    const [exitCode] = (await once(child, 'close')) as [number];

    expect(exitCode).toBe(130);
    expect(await errors).toMatch(/is cancelled and refunded\. Its job is job_/);
    expect(await balance()).toBe(before);
  });

  it('sends events to a program on this machine, signed as a webhook is', async () => {
    trickster.answer = { status: 204, type: 'text/plain', body: '' };
    const child = start(['listen', '--forward', trickster.origin, '--types', 'job.done']);
    let said = '';
    child.stdout!.on('data', (bytes: Buffer) => (said += bytes.toString()));
    let noted = '';
    child.stderr!.on('data', (bytes: Buffer) => (noted += bytes.toString()));
    await expectEventually(() => noted.includes('whsec_'));
    const secret = /whsec_\S+/.exec(noted)![0];
    await expectEventually(async () => {
      await run(['image', 'A lamp']);
      return trickster.received.length > 0;
    });
    child.kill('SIGINT');
    const [exitCode] = (await once(child, 'close')) as [number];
    const [{ headers, body }] = trickster.received as [Received];

    expect(exitCode).toBe(0);
    expect(said).toMatch(/^job\.done {2}evt_\S+ {2}204\n/);
    const message = { headers: headers as Record<string, string>, body: body.toString() };
    expect(await isGenuineWebhook(message, { secret })).toBe(true);
  });
});
