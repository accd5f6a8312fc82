import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { build } from 'esbuild';
import { generatePrivateKey } from 'viem/accounts';

import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { codeIn, runCommand } from '../support/code-blocks';
import { Pages, describeInBrowser } from '../support/pages';
import { World } from '../support/world';
import { PackedProject } from './packed-project';
import { BINARIES, NODE_22, SYSTEM, installRuntimes } from './runtime-binaries';

const ROOT = join(__dirname, '..', '..');

/** The command of each runtime, if npm has its binary for this system. */
const RUNTIMES: readonly (readonly [name: string, binary: string, ...args: string[]])[] = [
  [`Node ${process.versions.node}`, process.execPath],
  ['Node 22', NODE_22],
  ['Node 24', join(BINARIES, `node-24-${SYSTEM}`, 'bin', 'node')],
  ['Deno', join(BINARIES, '@deno', `${SYSTEM}-glibc`, 'deno'), 'run', '--allow-all', '--quiet'],
  ['Bun', join(BINARIES, '@oven', `bun-${SYSTEM.replace('arm64', 'aarch64')}`, 'bin', 'bun'), 'run'],
];

/** npm has the binaries of each runtime for these systems. */
const SYSTEMS = ['linux-arm64', 'linux-x64'];

const PROGRAM = `import process from 'node:process';
import { Lamppost } from 'lamppost';
import { privateKeyToAccount } from 'viem/accounts';

const { LAMPPOST_URL: baseUrl, LAMPPOST_KEY: key, PRIVATE_KEY } = process.env;
const byKey = new Lamppost({ baseUrl, key, budget: { perCall: 1 } });
const picture = await byKey.image('A red fox in the snow');
await picture.save('fox.png');
let words = '';
for await (const { text } of byKey.stream('Hello.')) words += text;
const byWallet = new Lamppost({ baseUrl, wallet: privateKeyToAccount(PRIVATE_KEY) });
const { charge } = await byWallet.chat('Hello.');
const receipt = await byWallet.receipts.get(charge.id);
console.log(words !== '', receipt.rail, await byWallet.receipts.verify(receipt));
`;

const SCRIPT = `const { Lamppost } = require('lamppost');
new Lamppost({ baseUrl: process.env.LAMPPOST_URL, key: process.env.LAMPPOST_KEY })
  .chat('Hello.').then(({ charge }) => console.log(charge.micro > 0));
`;

/** Checked without the types of Node, like the code of a page. */
const TYPED = `import { Lamppost, type Medium, type Source } from 'lamppost';
export const draw = async (lamppost: Lamppost, signal?: AbortSignal, model?: string): Promise<Source> => {
  const made = await lamppost.image('x', { signal, model });
  await lamppost.image('y', { image: await made.stream() });
  return made.bytes();
};
export const tell = async (lamppost: Lamppost): Promise<void> => {
  for await (const event of lamppost.events()) {
    if (event.type === 'job.done') document.title = event.data.url ?? event.data.id;
    if (event.type === 'charge.refunded') document.title = event.data.priceMicro.toFixed();
    // @ts-expect-error A job is no number.
    if (event.type === 'job.failed') document.title = event.data.toFixed();
  }
};
export const show = async (image: HTMLImageElement, file: File): Promise<void> => {
  const made: Medium = await new Lamppost({ baseUrl: location.origin, session: true }).image('red', { image: file });
  image.src = URL.createObjectURL(await made.blob());
};
`;
const TSCONFIG = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    target: 'es2022',
    lib: ['es2022', 'dom'],
    module: 'esnext',
    moduleResolution: 'bundler',
    types: [],
  },
  files: ['page.ts'],
};

/** A page of a signed-in person, who also has a key. */
const PAGE = `import { Lamppost } from 'lamppost';
globalThis.buy = async () => {
  const baseUrl = location.origin;
  const session = new Lamppost({ baseUrl, session: true });
  const picture = await session.image('A red fox in the snow');
  const { type } = await picture.blob();
  const { key } = await session.keys.create({ name: 'a page', expiresInDays: 30 });
  const { text } = await new Lamppost({ baseUrl, key, budget: { total: 1 } }).chat('Hello.');
  return [type, text !== ''];
};
`;

/** The first program of the package's page, for an empty folder. */
const PAGE_PROGRAM = codeIn(
  readFileSync(join(ROOT, 'clients', 'typescript', 'README.md'), 'utf8').split('## From an empty folder')[0]!,
  'js',
);

describe('where the TypeScript client runs', () => {
  let project: PackedProject;

  beforeAll(async () => {
    await installRuntimes();
    project = PackedProject.make().link('node_modules/viem');
    project.write('program.mjs', PROGRAM);
    project.write('script.cjs', SCRIPT);
    project.write('fox.mjs', PAGE_PROGRAM);
    project.write('page.ts', TYPED);
    project.write('tsconfig.json', JSON.stringify(TSCONFIG));
    project.write('page.js', PAGE);
  });

  it.each([
    ['publint', '--strict'],
    ['attw', '--no-color'],
  ])('%s finds nothing to say of the package', async (tool, ...args) => {
    const bin = join(__dirname, 'node_modules', '.bin', tool);
    const { exitCode, output } = await runCommand(bin, [project.tarball, ...args], project.folder, {});

    expect([exitCode, output]).toEqual([0, expect.stringMatching(/All good!|No problems found/)]);
  });

  it.each([
    ['the newest', join(ROOT, 'node_modules', 'typescript')],
    ['the oldest that is promised, 5.0', join(BINARIES, 'typescript-5-0')],
  ])('has types in a strict project for browsers, by %s compiler', async (_, compiler) => {
    const tsc = join(compiler, 'bin', 'tsc');
    const { exitCode, output } = await runCommand(process.execPath, [tsc], project.folder, {});

    expect({ exitCode, output }).toEqual({ exitCode: 0, output: '' });
  });

  describe('outside a browser', () => {
    let world: World;
    let env: Readonly<Record<string, string>>;

    beforeAll(async () => {
      const port = await freePort();
      world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
      const { key } = await KeyCaller.register(world, 10_000_000n);
      env = { LAMPPOST_URL: await world.listen(port), LAMPPOST_KEY: key, PRIVATE_KEY: generatePrivateKey() };
    });
    afterEach(() => world.expectBooksToBalance());
    afterAll(() => world.stop());

    describe.each(RUNTIMES)('%s', (_, binary, ...args) => {
      const run = (file: string) => runCommand(binary, [...args, file], project.folder, env);
      // The binaries are installed after this line, so a file that is absent now says nothing.
      const itWhereItIs = SYSTEMS.includes(SYSTEM) || existsSync(binary) ? it : it.skip;

      itWhereItIs('runs a module, which pays on two rails and keeps a file', async () => {
        expect(await run('program.mjs')).toEqual({ exitCode: 0, errors: '', output: 'true x402 true\n' });
        expect(readFileSync(project.path('fox.png')).subarray(1, 4).toString()).toBe('PNG');
      });

      itWhereItIs('runs the program that its page begins with', async () => {
        expect(await run('fox.mjs')).toEqual({
          exitCode: 0,
          errors: '',
          output: expect.stringMatching(/^\$0\.\d+\n$/),
        });
      });

      itWhereItIs('runs a script that requires it', async () => {
        expect(await run('script.cjs')).toEqual({ exitCode: 0, errors: '', output: 'true\n' });
      });
    });
  });

  describeInBrowser('in a browser', () => {
    let pages: Pages;

    beforeAll(async () => {
      pages = await Pages.open();
    });
    afterAll(() => pages.close());

    it('runs as a bundler has put it together, by a session and by a key', async () => {
      const { outputFiles } = await build({
        entryPoints: [project.path('page.js')],
        bundle: true,
        minify: true,
        write: false,
        format: 'esm',
      });
      const visitor = await pages.visitor();
      await visitor.signUp();
      await visitor.topUp(5);
      await visitor.open('/');
      await visitor.page.evaluate(outputFiles[0]!.text);

      expect(await visitor.page.evaluate('buy()')).toEqual(['image/png', true]);
      await pages.expectPeace();
    });
  });
});
