import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { generatePrivateKey } from 'viem/accounts';

import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { codeIn, runCommand } from '../support/code-blocks';
import { World } from '../support/world';
import { TornNetwork } from './torn-network';

const PACKAGE = join(__dirname, '..', '..', 'clients', 'python');
const { status } = spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
const describeWithPython = status === 0 ? describe : describe.skip;

/** The tool that writes the wheel needs Python 3.11. */
const itWithPip = spawnSync('python3', ['-c', 'import pip, tomllib']).status === 0 ? it : it.skip;

/** A wallet in a separate program, as a replacement for `eth_account` where it is not installed. */
const SIGNER = `const { privateKeyToAccount } = require(${JSON.stringify(require.resolve('viem/accounts'))});
const account = privateKeyToAccount(process.argv[2]);
const what = process.argv[3];
if (what === 'address') console.log(account.address);
else if ('text' in JSON.parse(what)) account.signMessage({ message: JSON.parse(what).text }).then(console.log);
else account.signTypedData({ primaryType: 'TransferWithAuthorization', ...JSON.parse(what) }).then(console.log);`;

/** Forty streams through a network that breaks, and their reported costs. */
const STREAMS = `import os, sys
from lamppost import Lamppost
lamppost = Lamppost(os.environ['TORN_URL'], key=os.environ['LAMPPOST_KEY'], tries=20)
cost = 0
for at in range(40):
    pieces = list(lamppost.stream(f'Stream {at}. [[tokens 30]]'))
    cost += pieces[-1].charge.micro
print(cost)`;

const PAGE = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```python\n([\s\S]*?)^```/gm)].map(([, code], at) => [at, code!] as const);
/** The block that is part of a handler of requests. */
const FRAGMENT = `from typing import Any\nrequest: Any = None\nsecret = ""\n${codeIn(PAGE, 'py')}`;
/** Calls that a checker must refuse. */
const WRONG = `from lamppost import Lamppost
Lamppost().video("waves", duratoin=8)
Lamppost().image(5)`;
const PYRIGHT = join(__dirname, 'node_modules', 'pyright', 'index.js');
const CHECKERS: (readonly [string, string, ...string[]])[] = [['pyright', process.execPath, PYRIGHT]];
// mypy is no package of npm, so a machine may lack it.
if (spawnSync('python3', ['-m', 'mypy', '--version']).status === 0)
  CHECKERS.push(['mypy', 'python3', '-m', 'mypy', '--strict']);

jest.setTimeout(120_000);

const runTests = (names: string, env: Readonly<Record<string, string>>) =>
  runCommand('python3', ['-m', 'unittest', 'discover', '-s', 'tests', '-p', names], PACKAGE, {
    PYTHONPATH: join(PACKAGE, 'src'),
    PYTHONDONTWRITEBYTECODE: '1',
    ...env,
  });

describeWithPython('the package for Python, alone', () => {
  it('passes the tests that need no service', async () => {
    const { exitCode, errors } = await runTests('test_[!s]*.py', {});

    expect(errors).toMatch(/\nOK\n$/);
    expect(exitCode).toBe(0);
  });
});

describeWithPython('the package for Python', () => {
  let world: World;
  let env: Readonly<Record<string, string>>;
  let caller: KeyCaller;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    caller = await KeyCaller.register(world, 50_000_000n);
    const signer = join(mkdtempSync(join(tmpdir(), 'signer-')), 'signer.cjs');
    writeFileSync(signer, SIGNER);
    env = {
      LAMPPOST_URL: await world.listen(port),
      LAMPPOST_KEY: caller.key,
      PYTHONPATH: join(PACKAGE, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      SESSION: caller.cookie,
      SIGNER: JSON.stringify([process.execPath, signer, generatePrivateKey()]),
    };
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  it('passes its own tests against this service', async () => {
    const { exitCode, errors } = await runTests('test_service.py', env);

    expect(errors).toMatch(/\nOK\n$/);
    expect(exitCode).toBe(0);
  });

  it.each(BLOCKS)('does what block %i of its page says', async (_, program) => {
    const folder = mkdtempSync(join(tmpdir(), 'python-'));
    const { exitCode, errors, output } = await runCommand('python3', ['-c', program], folder, env);

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).not.toBe('');
  });

  itWithPip('is a wheel that pip installs, and its page works in an empty folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wheel-'));
    const [wheel, installed] = [join(folder, 'wheel'), join(folder, 'installed')];
    mkdirSync(wheel);
    const tool = join(PACKAGE, '..', '..', 'tools', 'release', 'wheel.py');
    expect(await runCommand('python3', [tool, PACKAGE, wheel], folder, {})).toMatchObject({ exitCode: 0 });
    const [file = ''] = readdirSync(wheel);
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-index', '--root-user-action=ignore'];
    const pip = ['-m', 'pip', 'install', ...quiet, '--target', installed, join(wheel, file)];
    expect(await runCommand('python3', pip, folder, {})).toEqual({ exitCode: 0, errors: '', output: '' });

    const program = `${BLOCKS[0]![1]}\nimport lamppost as package\nprint(package.__file__, package.__version__)`;
    const { exitCode, errors, output } = await runCommand('python3', ['-c', program], folder, {
      ...env,
      PYTHONPATH: installed,
    });

    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toMatch(new RegExp(`${installed}/lamppost/__init__[.]py ${file.split('-')[1]}\\n$`));
  });

  it.each(CHECKERS)('has types that %s accepts, on each block of its page', async (_, command, ...args) => {
    const folder = mkdtempSync(join(tmpdir(), 'python-types-'));
    const files = [...BLOCKS.map(([, code]) => code), `${FRAGMENT}\n${WRONG}`].map((code, at) => {
      writeFileSync(join(folder, `block_${at}.py`), code);
      return `block_${at}.py`;
    });
    symlinkSync(join(PACKAGE, 'src', 'lamppost'), join(folder, 'lamppost'));
    const { exitCode, output } = await runCommand(command, [...args, 'lamppost', ...files], folder, env);

    const wrong = output.split('\n').filter((line) => /\.py:\d+.* error: /.test(line));
    expect(wrong).toEqual([
      expect.stringMatching(`${files.at(-1)}.*duratoin`),
      expect.stringMatching(`${files.at(-1)}.*"?str`),
    ]);
    expect(exitCode).toBe(1);
  });

  it('reads streams that break off to their end, and pays each once', async () => {
    const before = (await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro;
    const network = await TornNetwork.to(env['LAMPPOST_URL']!);
    const torn = { ...env, TORN_URL: network.url };
    const { errors, output } = await runCommand('python3', ['-c', STREAMS], PACKAGE, torn);
    await network.stop();
    const after = (await world.get('/v1/agent/balance', { 'x-api-key': caller.key })).body.balanceMicro;

    expect(errors).toBe('');
    expect(before - after).toBe(Number(output));
  });
});
