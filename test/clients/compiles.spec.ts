import { mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';

import { runCommand } from '../support/code-blocks';
import { LoopbackServer, type Received } from '../support/loopback-server';
import { PackedProject } from './packed-project';

const ROOT = join(__dirname, '..', '..');
const OURS = join(__dirname, 'node_modules');
const COMPILERS = [
  ['5.0', join(OURS, 'typescript-5-0', 'bin', 'tsc')],
  ['5.9', join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')],
  ['6', join(OURS, 'typescript-6', 'bin', 'tsc')],
  ['7', join(OURS, 'typescript-7', 'bin', 'tsc')],
] as const;

/** A program with all entries that need no other package. Types of the package are checked, too. */
const PROGRAM = `import { Lamppost, CallError, type Source, type LamppostEvent } from 'lamppost';
import * as proofs from 'lamppost/proofs';
export const draw = async (lamppost: Lamppost, image: Source): Promise<Uint8Array> =>
  (await lamppost.image('x', { image })).bytes();
export const follow = async (lamppost: Lamppost): Promise<string | undefined> => {
  for await (const event of lamppost.events({ types: ['job.done'] })) return event.data.url;
  // @ts-expect-error Only done jobs were asked for, and those have no balance.
  for await (const event of lamppost.events({ types: ['job.done'] })) return event.data.balanceMicro;
  return undefined;
};
export const isAny = (event: LamppostEvent): boolean => event.type === 'charge.charged' && event.data.priceMicro > 0;
export const known = (error: unknown): string | undefined =>
  error instanceof CallError ? error.idempotencyKey ?? error.jobId ?? error.chargeId : undefined;
export { proofs };
`;

/** The other packages that the blocks of the pages use. Their own types are theirs to check. */
const PAGES_USE = [
  ...['@langchain', '@ai-sdk', '@google', 'ai', 'openai'].map((name) => `test/clients/node_modules/${name}`),
  ...['@modelcontextprotocol', 'viem'].map((name) => `node_modules/${name}`),
];

const SERVER = `import { Budget, Lamppost } from 'lamppost';
const work = async () => {
  const budget = new Budget({ total: 1, file: 'budget.jsonl' });
  const made = await new Lamppost({ baseUrl: process.env.LAMPPOST_URL, key: 'lp_0123456789', budget }).image('a fox');
  await made.save('fox.png');
  console.log((await budget.state()).spentMicro);
};
void work();
`;

/** The variables that the fragments of pages assume. */
const GIVEN = 'declare const baseUrl: string, key: string, secret: string, request: Request, body: string;';
const blocksOf = (page: string): readonly string[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code]) =>
    code!.replaceAll(/\{\{[^}]+\}\}/g, 'http://127.0.0.1:3000'),
  );
const PAGES = [
  'clients/typescript/README.md',
  ...readdirSync(join(ROOT, 'docs', 'guides')).map((name) => `docs/guides/${name}`),
];

/** A service that sells one picture. */
class Seller extends LoopbackServer {
  protected override serve({ method, body }: Received, response: ServerResponse): void {
    if (method === 'GET') response.setHeader('content-type', 'image/png').end('a picture');
    else if ((JSON.parse(body.toString()) as { dryRun?: boolean }).dryRun) response.end('{"priceMicro":5}');
    else {
      response.setHeader('x-charge-id', 'ch_1').setHeader('x-charge-micro', '5');
      response.end(JSON.stringify({ status: 'done', url: `${this.origin}/made` }));
    }
  }
}

describe('the packed package', () => {
  let project: PackedProject;

  beforeAll(() => {
    project = PackedProject.make().link('node_modules/@types', 'node_modules/undici-types', ...PAGES_USE);
    project.write('server.js', SERVER);
    project.write('program.mts', PROGRAM);
  });

  const compile = (tsc: string, options: object, files: readonly string[]) => {
    const compilerOptions = { strict: true, noEmit: true, target: 'es2022', ...options };
    project.write('tsconfig.json', JSON.stringify({ compilerOptions, files }));
    return runCommand(process.execPath, [tsc], project.folder, {});
  };

  it.each(
    COMPILERS.flatMap(([name, tsc]) =>
      (['nodenext', 'bundler'] as const).map((resolution) => [name, resolution, tsc] as const),
    ),
  )('compiles by TypeScript %s and %s, with its own types', async (_, moduleResolution, tsc) => {
    const module = moduleResolution === 'bundler' ? 'esnext' : 'nodenext';
    const options = { module, moduleResolution, lib: ['es2022', 'dom'], types: [], skipLibCheck: false };
    const { exitCode, output } = await compile(tsc, options, ['program.mts']);

    expect({ exitCode, output }).toEqual({ exitCode: 0, output: '' });
  });

  it('compiles each block of its pages that is TypeScript', async () => {
    const names = PAGES.flatMap((page) =>
      blocksOf(page).map((code, at) => {
        const given = GIVEN.replaceAll(/(\w+): \w+(, |;)/g, (all, name: string) =>
          new RegExp(`(const|let|import|\\{).*\\b${name}\\b.*=`).test(code) ? '' : all,
        ).replace(/, $/, ';');
        const needed = given.trim() === 'declare const' ? '' : given;
        return project.write(`${page.replaceAll(/\W/g, '-')}-${at}.mts`, `${code}\n${needed}\nexport {};\n`);
      }),
    );
    const options = { module: 'nodenext', lib: ['es2023', 'dom'], types: ['node'], skipLibCheck: true };
    const { exitCode, output } = await compile(COMPILERS.at(-1)![1], options, names);

    expect(names.length).toBeGreaterThan(8);
    expect({ exitCode, output }).toEqual({ exitCode: 0, output: '' });
  });

  describe.each<[string, (out: string) => Promise<unknown>]>([
    [
      'esbuild',
      (outfile) =>
        build({
          entryPoints: [project.path('server.js')],
          outfile,
          bundle: true,
          minify: true,
          platform: 'node',
          format: 'cjs',
        }),
    ],
    ['webpack', (out) => bundleBy('webpack', out)],
    ['rollup', (out) => bundleBy('rollup', out)],
    ['vite', (out) => bundleBy('vite', out)],
  ])('in a server that %s has bundled', (name, bundle) => {
    it('saves a result, and keeps a budget in a file', async () => {
      const seller = await new Seller().start();
      const folder = project.path(`by-${name}`);
      mkdirSync(folder);
      await bundle(join(folder, 'server.cjs'));
      const env = { LAMPPOST_URL: seller.origin };
      const run = await runCommand(process.execPath, ['server.cjs'], folder, env);
      await seller.stop();

      expect(run).toEqual({ exitCode: 0, errors: '', output: '5\n' });
      expect(readFileSync(join(folder, 'fox.png'), 'utf8')).toBe('a picture');
      expect(statSync(join(folder, 'budget.jsonl')).size).toBeGreaterThan(0);
    });
  });

  const SCRIPTS = {
    webpack: (entry: string, out: string) => `
      const webpack = require(${JSON.stringify(join(ROOT, 'node_modules', 'webpack'))});
      const { dirname, basename } = require('node:path');
      const output = { path: dirname(${out}), filename: basename(${out}) };
      webpack({ mode: 'production', target: 'node', entry: ${entry}, output }, (error, stats) => {
        const { errors, warnings } = stats?.toJson() ?? { errors: [{ message: String(error) }], warnings: [] };
        for (const { message } of [...errors, ...warnings]) console.error(message);
      });`,
    rollup: (entry: string, out: string) => `
      const { rollup } = require(${JSON.stringify(join(OURS, 'rollup'))});
      const find = { resolveId: (id) => (id === 'lamppost' ? require.resolve(id).replace('/cjs/', '/esm/') : null) };
      const onwarn = ({ message }) => console.error(message);
      rollup({ input: ${entry}, plugins: [find], external: /^node:/, onwarn })
        .then((bundle) => bundle.write({ file: ${out}, format: 'cjs', inlineDynamicImports: true }));`,
    vite: (entry: string, out: string) => `
      const { dirname, basename } = require('node:path');
      const output = { format: 'cjs', entryFileNames: basename(${out}) };
      import(${JSON.stringify(pathToFileURL(join(OURS, 'vite', 'dist', 'node', 'index.js')).href)}).then(({ build }) =>
        build({
          configFile: false,
          logLevel: 'warn',
          ssr: { noExternal: true },
          build: { ssr: ${entry}, outDir: dirname(${out}), minify: true, rollupOptions: { output } },
        }));`,
  };

  const bundleBy = async (tool: keyof typeof SCRIPTS, out: string): Promise<void> => {
    const [entry, file] = [project.path('server.js'), out].map((path) => JSON.stringify(path)) as [
      string,
      string,
    ];
    const script = project.write(`${tool}.cjs`, SCRIPTS[tool](entry, file));
    const run = await runCommand(process.execPath, [script], project.folder, {});
    expect(run).toEqual({ exitCode: 0, errors: '', output: '' });
  };
});
