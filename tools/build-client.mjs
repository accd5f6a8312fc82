// Makes the package of clients/typescript ready to be packed, there or in the folder that is named: a file for each entry, for
// those who import it and for those who require it, with its types, which are written once.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import ts from 'typescript';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const PACKAGE = join(ROOT, 'clients', 'typescript');
const TARGET = resolve(process.argv[2] ?? PACKAGE);
const DIST = join(TARGET, 'dist');
/** What can be imported. */
const LIBRARY = ['lamppost', 'ai'];
const COMMAND = 'cli';
const LINE_MAX = 240;

const { config } = ts.readConfigFile(join(PACKAGE, 'tsconfig.json'), (file) => ts.sys.readFile(file));
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, PACKAGE);

/** What somebody can see of the package, with comments, which are for who reads them: once, for those who require it, and those who import it are led there. */
const writeTypes = () => {
  const program = ts.createProgram(fileNames, { ...options, emitDeclarationOnly: true });
  const problems = [...ts.getPreEmitDiagnostics(program)];
  const texts = new Map();
  program.emit(undefined, (file, text) => texts.set(relative(options.outDir, file), text));
  const write = (name) => {
    const text = texts.get(name);
    if (!texts.delete(name)) return;
    writeFileSync(join(DIST, 'cjs', name), text);
    for (const [, next] of text.matchAll(/ from '\.\/([\w.-]+)\.ts'/g)) write(`${next}.d.ts`);
  };
  for (const name of LIBRARY) {
    write(`${name}.d.ts`);
    writeFileSync(join(DIST, 'esm', `${name}.d.ts`), `export * from '../cjs/${name}.js';\n`);
  }
  if (problems.length === 0) return;
  console.error(
    ts.formatDiagnosticsWithColorAndContext(problems, {
      getCanonicalFileName: (name) => name,
      getCurrentDirectory: () => ROOT,
      getNewLine: () => '\n',
    }),
  );
  process.exit(1);
};

/** What uses the library stands beside it, and does not carry it a second time. */
const besideLibrary = {
  name: 'beside the library',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/lamppost\.ts$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './lamppost.js', external: true },
    ),
};

const writeCode = (format, names) =>
  Promise.all(
    names.map((name) =>
      build({
        entryPoints: [join(TARGET, 'src', `${name}.ts`)],
        outdir: join(DIST, format),
        bundle: true,
        format,
        platform: 'node',
        target: 'es2022',
        plugins: [besideLibrary],
        minifySyntax: true,
        minifyWhitespace: true,
        // Names are what users see of an object that they print; the command shows nobody any of its own.
        minifyIdentifiers: name === COMMAND,
        // A trace leads to the sources, which are packed once for both.
        sourcemap: name === COMMAND ? false : 'linked',
        sourcesContent: false,
        // Node prints the line at which a program of somebody's broke off.
        lineLimit: LINE_MAX,
      }),
    ),
  );

rmSync(DIST, { recursive: true, force: true });
// Maps lead to the sources by paths inside the package.
if (TARGET !== PACKAGE) cpSync(join(PACKAGE, 'src'), join(TARGET, 'src'), { recursive: true });
for (const [format, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
  mkdirSync(join(DIST, format), { recursive: true });
  writeFileSync(join(DIST, format, 'package.json'), JSON.stringify({ type }));
}
// The command is run, and nobody's to require.
await Promise.all([writeCode('esm', [...LIBRARY, COMMAND]), writeCode('cjs', LIBRARY)]);
writeTypes();
cpSync(join(ROOT, 'LICENSE'), join(TARGET, 'LICENSE'));
if (TARGET !== PACKAGE) {
  for (const name of ['package.json', 'README.md']) cpSync(join(PACKAGE, name), join(TARGET, name));
}
