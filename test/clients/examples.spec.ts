import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generatePrivateKey } from 'viem/accounts';

import { TransparencyProcessor } from '../../src/money/billing/transparency/transparency.processor';
import { LOG_KEYS } from '../../src/money/billing/transparency/log-origin';
import { PublishedKeys } from '../../src/platform/config/published-keys';
import { checkpointText, signNote } from '../../src/platform/signatures/signed-note';
import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { runCommand } from '../support/code-blocks';
import { World } from '../support/world';

const ROOT = join(__dirname, '..', '..');

// These tests start other programs, which takes long on a busy machine.
jest.setTimeout(120_000);

describe('the examples', () => {
  let world: World;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}`, FETCH_ALLOW_HOSTS: '127.0.0.1' });
    const { key } = await KeyCaller.register(world, 10_000_000n);
    env = { LAMPPOST_URL: await world.listen(port), LAMPPOST_KEY: key };
  });

  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const run = (command: string, ...args: readonly string[]) =>
    runCommand(command, args, ROOT, { ...env, PRIVATE_KEY: generatePrivateKey() });

  const runProgram = (...args: readonly string[]) =>
    run(process.execPath, '-r', './tools/typescript.cjs', ...args);

  it('buys on each rail with the package, at the price that was locked', async () => {
    const { exitCode, output, errors } = await runProgram('examples/walkthrough.ts');

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output.split('\n')).toEqual([
      'Torch Video: 4 seconds for $0.307693',
      'The wallet holds $5.000000.',
      'x402: charged 307693 genuine=true',
      'wallet: charged 307693 genuine=true',
      'api-key: charged 307693 genuine=true',
      'INVALID_REQUEST duration of torch-video must be one of 4, 6, 8. The nearest is 4. ' +
        '{"prompt":"Waves at night","duration":4,"modelId":"torch-video"}',
      '',
    ]);
  });

  it('draws on request until its money is spent', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
    const bot = 'examples/picture-bot.ts';
    const script = `yes 'A red fox' | head -9 | '${process.execPath}' -r ./tools/typescript.cjs ${bot} 0.08 ${folder}`;
    const { exitCode, output, errors } = await run('bash', '--norc', '-c', script);

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toBe('1.png  A red fox\n2.png  A red fox\n2 pictures for $0.061540 of $0.08.\n');
    expect(readFileSync(join(folder, '2.png')).subarray(1, 4).toString()).toBe('PNG');
  });

  it('waits for a film by a webhook', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'film-')), 'waves.mp4');
    env = { ...env, PORT: String(await freePort()) };
    const { exitCode, output, errors } = await runProgram('examples/film-by-webhook.ts', file);

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toContain(`job.done: ${file}`);
    expect(readFileSync(file).subarray(4, 8).toString()).toBe('ftyp');
  });

  it('answers a question with tools, and says what that cost', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'report-')), 'report.md');
    const { exitCode, output, errors } = await runProgram('examples/research-agent.ts', 'Why green?', file);

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toMatch(/5 steps for \$0\.0\d+\.\n$/);
    expect(readFileSync(file, 'utf8')).toMatch(/^# Why green\?[^]*\/media\/[^]*## Who would know more\?/);
  });

  it('buys on each rail from a shell', async () => {
    const { exitCode, output, errors } = await run('bash', '--norc', 'examples/session.sh');

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toContain('A video costs 307693 micro-USD.');
    expect(output).toContain('"topUpMicro":5000000');
    for (const rail of ['x402', 'wallet', 'api-key']) {
      expect(output).toContain(`${rail}: done charged genuine`);
    }
    expect(output).toMatch(/A wrong call: .*"fix":\{"prompt":"x","modelId":"torch-video","duration":4\}/);
  });

  it('proves an account by the log, and finds a log that has changed', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'proof-')), 'checkpoint');
    const prove = () => run(process.execPath, 'examples/prove.mjs', env['LAMPPOST_URL']!, file);
    const spend = async (): Promise<void> => {
      const body = { messages: [{ role: 'user', content: Math.random().toString() }], max_tokens: 16 };
      await world.post('/v1/agent/chat', body, { 'x-api-key': env['LAMPPOST_KEY']! });
      await world.app.get(TransparencyProcessor, { strict: false }).run();
    };
    const change = async (sql: string): Promise<void> => {
      await world.db.transaction(async (queries) => {
        await queries.rows('set local session_replication_role = replica');
        await queries.rows(sql);
      });
    };

    for (let round = 0; round < 2; round += 1) {
      await spend();
      const { exitCode, output, errors } = await prove();
      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
      expect(output).toMatch(
        /^\d+ entries, \d+ micro-USD: all are among the \d+ of 127[.]0[.]0[.]1:\d+\/transparency\n$/,
      );
    }

    const fails = async (fault: string): Promise<void> => {
      const { exitCode, errors } = await prove();
      expect([exitCode, errors]).toEqual([1, expect.stringContaining(fault)]);
    };
    const flipped = `update transparency_leaf set salt = set_byte(salt, 0, 255 - get_byte(salt, 0)) where entry_id like '%.charged'`;
    await change(flipped);
    await fails('is not in the log');
    await change(flipped);

    // A state as if the operator had shown another history before.
    const seen = readFileSync(file, 'utf8');
    const keys = world.app.get(PublishedKeys, { strict: false }).of(LOG_KEYS);
    const origin = seen.slice(0, seen.indexOf('\n'));
    for (const [size, fault] of [
      [2, 'The log has changed since it had 2 entries'],
      [1_000, 'The log has lost entries'],
    ] as const) {
      writeFileSync(file, signNote(checkpointText(origin, size, Buffer.alloc(32, 7)), origin, keys));
      await fails(fault);
    }
    writeFileSync(file, seen);
    expect((await prove()).exitCode).toBe(0);
  });
});
