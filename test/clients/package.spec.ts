import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { generatePrivateKey } from 'viem/accounts';

import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { runCommand } from '../support/code-blocks';
import { World } from '../support/world';
import { PackedProject } from './packed-project';

const ROOT = join(__dirname, '..', '..');
const PACKAGE = join(ROOT, 'clients', 'typescript');
const BYTES_MAX = 25 * 1_024;

const BLOCKS = [...readFileSync(join(PACKAGE, 'README.md'), 'utf8').matchAll(/^```js\n([\s\S]*?)^```/gm)].map(
  ([, code]) => code!,
);
const BUYS = `new Lamppost({ baseUrl: process.env.LAMPPOST_URL, key: process.env.LAMPPOST_KEY })
  .chat('Hello.').then(({ text }) => console.log(text.length > 0));`;
const TYPED = `import { Lamppost, type Medium } from 'lamppost';
const made: Promise<Medium> = new Lamppost({ baseUrl: 'http://127.0.0.1', key: 'lp_' }).image('x', { duration: 4 });
// @ts-expect-error A duration is a number.
void new Lamppost({ baseUrl: 'http://127.0.0.1' }).video('x', { duration: '4' });
void made;`;

/** The package as somebody else has it: packed, and unpacked in a project that knows nothing of ours. */
describe('the package of the TypeScript client', () => {
  let world: World;
  let project: PackedProject;
  let folder: string;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    project = PackedProject.make().link('node_modules/viem', 'node_modules/@types', 'test/node_modules/ai');
    ({ folder } = project);

    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    const { key } = await KeyCaller.register(world, 10_000_000n);
    env = { LAMPPOST_URL: await world.listen(port), LAMPPOST_KEY: key, PRIVATE_KEY: generatePrivateKey() };
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const write = (name: string, text: string): string => project.write(name, text);
  const run = (name: string) => runCommand(process.execPath, [name], folder, env);

  it('is small', () => {
    const files = join(folder, 'node_modules', 'lamppost', 'dist', 'esm');
    const code = readdirSync(files).filter((name) => name.endsWith('.js'));
    const bytes = Buffer.concat(code.map((name) => readFileSync(join(files, name))));

    expect(gzipSync(bytes).length).toBeLessThan(BYTES_MAX);
  });

  it.each([
    ['imported', 'imports.mjs', `import { Lamppost } from 'lamppost';\n${BUYS}`],
    ['required', 'requires.cjs', `const { Lamppost } = require('lamppost');\n${BUYS}`],
  ])('can be %s', async (_, name, code) => {
    expect(await run(write(name, code))).toEqual({ exitCode: 0, errors: '', output: 'true\n' });
  });

  it('has types, for those who import and those who require it', async () => {
    const names = [write('typed.mts', TYPED), write('typed.cts', TYPED)];
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    const { exitCode, output } = await runCommand(process.execPath, [tsc, ...options, ...names], folder, env);

    expect({ exitCode, output }).toEqual({ exitCode: 0, output: '' });
  });

  it.each(BLOCKS.map((code, index) => [index + 1, code] as const))(
    'does what example %i of its page says',
    async (index, code) => {
      const { exitCode, errors, output } = await run(write(`example-${index}.mjs`, code));

      expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
      expect(output).not.toBe('');
    },
  );

  describe('on the command line', () => {
    const lamppost = (...args: string[]) =>
      runCommand(process.execPath, ['node_modules/lamppost/dist/esm/cli.js', ...args], folder, env);

    it('writes a picture beside you, and says what it cost', async () => {
      const first = await lamppost('image', 'A red fox');
      const second = await lamppost('image', 'A red fox', '--json');
      const said = JSON.parse(second.output) as { file: string; charge: { id: string; micro: number } };

      expect(first).toMatchObject({
        exitCode: 0,
        errors: '',
        output: expect.stringMatching(/^a-red-fox\.png  \$0\.0\d+  ch_/),
      });
      expect(said.file).toBe('a-red-fox-2.png');
      expect(readFileSync(join(folder, said.file)).subarray(1, 4).toString()).toBe('PNG');
      const receipt = await lamppost('receipt', said.charge.id);
      expect(receipt.output).toContain('signed by the service');
    });

    it('answers as it is written, and from the wallet of a private key', async () => {
      const { key, ...noKey } = { ...env, key: env['LAMPPOST_KEY'] };
      const byKey = await lamppost('chat', 'Hello there.');
      const byWallet = await runCommand(
        process.execPath,
        ['node_modules/lamppost/dist/esm/cli.js', 'chat', 'Hello there.', '--json'],
        folder,
        { ...noKey, LAMPPOST_KEY: '', LAMPPOST_PRIVATE_KEY: generatePrivateKey() },
      );

      expect(key).toMatch(/^lp_/);
      expect(byKey).toMatchObject({ exitCode: 0, errors: '', output: expect.stringMatching(/\$0\.\d+\n$/) });
      expect(JSON.parse(byWallet.output)).toMatchObject({ charge: { id: expect.stringMatching(/^ch_/) } });
    });

    it('lists jobs, waits for one, and stops one', async () => {
      const { output } = await lamppost('video', 'Waves', '--tag', 'waves', '--json');
      const { jobId } = JSON.parse(output) as { jobId: string };

      expect((await lamppost('jobs', '--tag', 'waves')).output).toContain(`${jobId}  done`);
      expect((await lamppost('jobs', 'wait', jobId)).output).toContain('/media/');
      const late = await lamppost('jobs', 'cancel', jobId, '--json');
      expect([late.exitCode, JSON.parse(late.output).error.code]).toEqual([1, 'CANCEL_TOO_LATE']);
    });

    it.each([
      [2, 'is misused', ['picture', 'x']],
      [2, 'is told what cannot be', ['video', 'x', '--duration', 'long']],
      [3, 'would cost more than it may', ['image', 'x', '--max', '0.000001']],
      [1, 'is refused', ['video', 'x', '--model', 'torch-video', '--duration', '5']],
    ])('ends with %i when it %s', async (code, _, args) => {
      const { exitCode, errors, output } = await lamppost(...args);

      expect({ exitCode, output }).toEqual({ exitCode: code, output: '' });
      expect(errors).not.toBe('');
    });
  });
});
