import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import ts from 'typescript';
import { generatePrivateKey } from 'viem/accounts';

import { Lamppost } from '../../clients/typescript/src/lamppost';

import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { runCommand } from '../support/code-blocks';
import { expectEventually } from '../support/eventually';
import { World } from '../support/world';
import { Receiver } from '../webhooks/receiver';
import { PackedProject } from './packed-project';
import { programOf, publicMethods } from './source-examples';

const ROOT = join(__dirname, '..', '..');
const PACKAGE = join(ROOT, 'clients', 'typescript');
/** The tarball's size: the code in two formats, the maps with their sources, the types, and the command. */
const BYTES_MAX = 200 * 1_024;
/** The compressed size of the code that a page loads. */
const BUNDLE_BYTES_MAX = 21 * 1_024;
/** The longest line, because Node shows the whole line of an error. */
const LINE_MAX = 800;

const PAGE = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^```js\n([\s\S]*?)^```/gm)].map(([, code]) => code!);
const BUYS = `new Lamppost({ baseUrl: process.env.LAMPPOST_URL, key: process.env.LAMPPOST_KEY })
  .chat('Hello.').then(({ text }) => console.log(text.length > 0));`;
const TYPED = `import { Lamppost, type Medium } from 'lamppost';
const made: Promise<Medium> = new Lamppost({ baseUrl: 'http://127.0.0.1', key: 'lp_' }).image('x', { duration: 4 });
// @ts-expect-error A duration is a number.
void new Lamppost({ baseUrl: 'http://127.0.0.1' }).video('x', { duration: '4' });
void made;`;

const METHODS = publicMethods();
/** The variables that the examples in the sources assume. */
const GIVEN = `import { Budget, Lamppost, type Signer, isGenuineWebhook } from 'lamppost';
import { createLamppost } from 'lamppost/ai';
import { generateText } from 'ai';
import { privateKeyToAccount } from 'viem/accounts';
const { webhookId, secret, message, session }: {
  webhookId: string; secret: string; session: string; message: { headers: Record<string, string>; body: string };
} = JSON.parse(process.env['GIVEN']!);
const [baseUrl, key] = [process.env['LAMPPOST_URL']!, process.env['LAMPPOST_KEY']!];
const wallet: Signer = privateKeyToAccount(process.env['PRIVATE_KEY'] as '0x');
const lamppost = new Lamppost({ baseUrl, key });
const request = new Request('https://agent.example/hook', { method: 'POST', ...message });`;
/** The examples without the imports of other packages, whose types those packages check themselves. */
const TYPED_GIVEN = `${GIVEN.replaceAll(/^import .* from '(?!lamppost').*$/gm, '')}
declare const createLamppost: any, generateText: any, privateKeyToAccount: any;`;
/** Replaces names of the examples with what exists here: a listening address, a slow film. */
const standIns = (text: string, hook: string): string =>
  text
    .replaceAll("url: 'https://agent.example/hook'", `url: '${hook}'`)
    .replace("'A very long film'", "'A very long film [[delay 20s]]'");

/** The package as others install it: packed, and unpacked in a project without our files. */
describe('the package of the TypeScript client', () => {
  let world: World;
  let project: PackedProject;
  let folder: string;
  let env: Readonly<Record<string, string>>;

  beforeAll(async () => {
    project = PackedProject.make().link(
      'node_modules/viem',
      'node_modules/@types',
      'test/clients/node_modules/@ai-sdk',
      'test/clients/node_modules/ai',
    );
    ({ folder } = project);

    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}`, FETCH_ALLOW_HOSTS: '127.0.0.1' });
    const { key } = await KeyCaller.register(world, 10_000_000n);
    env = { LAMPPOST_URL: await world.listen(port), LAMPPOST_KEY: key, PRIVATE_KEY: generatePrivateKey() };
  });
  afterEach(() => world.expectBooksToBalance());
  afterAll(() => world.stop());

  const write = (name: string, text: string): string => project.write(name, text);
  const run = (name: string) => runCommand(process.execPath, [name], folder, env);

  it('is small', async () => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from 'lamppost'`, resolveDir: folder },
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    });

    const root = join(folder, 'node_modules', 'lamppost');
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) =>
      statSync(join(root, name)),
    );
    const disk = files.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
    const [tarball, bundle] = [statSync(project.tarball).size, gzipSync(outputFiles[0]!.contents).length];
    expect(tarball).toBeLessThan(BYTES_MAX);
    expect(bundle).toBeLessThan(BUNDLE_BYTES_MAX);
    // The package's page names its sizes.
    const said = /(\d+) KB to download, ([\d.]+) MB on disk .*?, (\d+) KB compressed/.exec(PAGE);
    const sizes = said!.slice(1).map(Number) as [number, number, number];
    expect(Math.abs(tarball / 1e3 - sizes[0])).toBeLessThan(8);
    expect(Math.abs(disk / 1e6 - sizes[1])).toBeLessThan(0.06);
    expect(Math.abs(bundle / 1e3 - sizes[2])).toBeLessThan(0.6);
    expect(PAGE).toMatch(
      new RegExp(`in a bundle, gzip \\| ${sizes[2]} KB .*\\n\\| on disk +\\| ${sizes[1]} MB`),
    );
  });

  it('has maps that lead to its own sources', () => {
    const root = join(folder, 'node_modules', 'lamppost');
    for (const file of ['esm/lamppost', 'esm/ai', 'cjs/lamppost', 'cjs/ai']) {
      const map = JSON.parse(readFileSync(join(root, 'dist', `${file}.js.map`), 'utf8')) as {
        sources: string[];
      };
      expect(map.sources.length).toBeGreaterThan(0);
      for (const source of map.sources) expect(existsSync(join(root, 'dist', 'esm', source))).toBe(true);
    }
  });

  it('has lines that can be shown where something breaks off', () => {
    const files = join(folder, 'node_modules', 'lamppost', 'dist', 'esm');
    const lines = ['lamppost', 'ai'].flatMap((name) =>
      readFileSync(join(files, `${name}.js`), 'utf8').split('\n'),
    );

    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(LINE_MAX);
  });

  it.each([
    ['imported', 'imports.mjs', `import { Lamppost } from 'lamppost';\n${BUYS}`],
    ['required', 'requires.cjs', `const { Lamppost } = require('lamppost');\n${BUYS}`],
  ])('can be %s', async (_, name, code) => {
    expect(await run(write(name, code))).toEqual({ exitCode: 0, errors: '', output: 'true\n' });
  });

  it('has types, for those who import and those who require it', async () => {
    const examples = write('examples.mts', programOf(METHODS, TYPED_GIVEN));
    const names = [write('typed.mts', TYPED), write('typed.cts', TYPED), examples];
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

  it('has an example for every method that can be called', () => {
    expect(METHODS.length).toBeGreaterThan(40);
    expect(METHODS.filter(({ example = '' }) => example === '').map(({ name }) => name)).toEqual([]);
  });

  it('does what the examples in its sources say', async () => {
    const receiver = await new Receiver().start();
    const { key, cookie } = await KeyCaller.register(world, 50_000_000n);
    const owner = new Lamppost({ baseUrl: env['LAMPPOST_URL']!, key });
    await owner.chat('Owners who have paid once may have webhooks.');
    const { id, secret } = await owner.webhooks.create({ url: receiver.url, types: ['job.done'] });
    await owner.image('a lamp');
    await expectEventually(() => receiver.received.length > 0);
    const [message] = receiver.received;
    const given = { webhookId: id, secret, message, session: cookie };

    const program = standIns(programOf(METHODS, GIVEN), receiver.url);
    const compilerOptions = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
    const { outputText } = ts.transpileModule(program, { compilerOptions });
    const { errors, output } = await runCommand(
      process.execPath,
      [write('examples.mjs', outputText)],
      folder,
      {
        ...env,
        LAMPPOST_KEY: key,
        GIVEN: JSON.stringify(given),
      },
    );
    await receiver.stop();

    expect(errors).toBe('');
    expect(JSON.parse(output.trimEnd().split('\n').at(-1)!)).toEqual({});
  });

  describe('on the command line', () => {
    const lamppost = (...args: string[]) =>
      runCommand(process.execPath, ['node_modules/lamppost/dist/esm/cli.js', ...args], folder, env);

    it('writes a picture beside you, and says what it cost', async () => {
      const first = await lamppost('image', 'A red fox');
      const second = await lamppost('image', 'A red fox', '--json');
      const said = JSON.parse(second.output) as { file: string; charge: { id: string; micro: number } };

      expect(first).toEqual({
        exitCode: 0,
        errors: expect.stringMatching(/^\$0\.0\d+ {2}ch_\S+\n$/),
        output: 'a-red-fox.png\n',
      });
      expect(said.file).toBe('a-red-fox-2.png');
      expect(readFileSync(join(folder, said.file)).subarray(1, 4).toString()).toBe('PNG');
      const receipt = await lamppost('receipt', said.charge.id);
      expect(receipt.output).toContain('signed by the service');
    });

    it('answers as it is written by key, and from what a wallet has topped up; whole in USDC', async () => {
      const noKey = { ...env, LAMPPOST_KEY: '', LAMPPOST_PRIVATE_KEY: generatePrivateKey() };
      const byWallet = (...args: string[]) =>
        runCommand(process.execPath, ['node_modules/lamppost/dist/esm/cli.js', ...args], folder, noKey);
      const [byKey, tooExpensive, inUsdc] = await Promise.all([
        lamppost('chat', 'Hello there.', '--max', '1', '--tag', 'by key'),
        lamppost('chat', 'Hello there.', '--max', '0.000001', '--tag', 'too dear'),
        byWallet('chat', 'Hello there.', '--tag', 'in usdc'),
      ]);
      await byWallet('top-up', '1');
      const prepaid = await byWallet('chat', 'Hello there.', '--tag', 'prepaid', '--max', '0.5');
      const keys = await byWallet('keys', '--json');

      for (const { exitCode, errors, output } of [byKey, inUsdc, prepaid]) {
        expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: expect.stringMatching(/^\$0\.\d+\n$/) });
        expect(output).toMatch(/\S+\n$/);
      }
      expect([tooExpensive.exitCode, tooExpensive.output, keys.output]).toEqual([3, '', '{"keys":[]}\n']);
      const charges = `select tag, rail, operation from charge where tag in ('by key', 'in usdc', 'prepaid', 'too dear') order by tag`;
      expect(await world.db.rows<object>(charges)).toEqual([
        { tag: 'by key', rail: 'api-key', operation: 'studio' },
        { tag: 'in usdc', rail: 'x402', operation: 'chat' },
        { tag: 'prepaid', rail: 'wallet', operation: 'studio' },
      ]);
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
