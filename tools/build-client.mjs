// Prepares the package of clients/typescript for `npm pack`, there or in a given folder. Each entry becomes one file
// for `import` and one for `require`. Both share one file of types.
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from 'esbuild';
import ts from 'typescript';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const PACKAGE = join(ROOT, 'clients', 'typescript');
const TARGET = resolve(process.argv[2] ?? PACKAGE);
const DIST = join(TARGET, 'dist');
/** The entries of the package. */
const LIBRARY = ['lamppost', 'ai'];
/** This entry has no source maps, so the package stays small. */
const PROOFS = 'proofs';
const COMMAND = 'cli';
/** The library loads this file by its name, and only for payments by channel. */
const CHANNEL = 'channel';
const SOURCES = join(DIST, 'src');
const LINE_MAX = 240;

const { config } = ts.readConfigFile(join(PACKAGE, 'tsconfig.json'), (file) => ts.sys.readFile(file));
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, PACKAGE);

/** The types with their comments. They are written once, for `require`; those for `import` refer to them. */
const writeTypes = () => {
  const program = ts.createProgram(fileNames, { ...options, emitDeclarationOnly: true });
  const problems = [...ts.getPreEmitDiagnostics(program)];
  const texts = new Map();
  program.emit(undefined, (file, text) => texts.set(relative(options.outDir, file), text));
  const write = (name) => {
    const text = texts.get(name);
    if (!texts.delete(name)) return;
    // The compiler indents by four spaces, which are a fortieth of the package.
    const slim = text.replaceAll(/^ {4,}/gm, (blanks) => blanks.slice(blanks.length / 2));
    writeFileSync(join(DIST, 'cjs', name), slim);
    for (const [, next] of text.matchAll(/ from '\.\/([\w.-]+)\.ts'/g)) write(`${next}.d.ts`);
  };
  for (const name of [...LIBRARY, PROOFS]) {
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

/** Files that use the library refer to the copy beside them, so that they contain no second one. */
const besideLibrary = {
  name: 'beside the library',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/(lamppost|proofs)\.ts$/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: `./${basename(path, '.ts')}.js`, external: true },
    ),
};

/** The ranges of all comments, found beside the tokens. */
const commentsIn = (file) => {
  const text = file.getFullText();
  const ranges = new Map();
  const note = (found) => found?.forEach(({ pos, end }) => ranges.set(pos, end));
  const walk = (node) => {
    note(ts.getLeadingCommentRanges(text, node.getFullStart()));
    note(ts.getTrailingCommentRanges(text, node.getEnd()));
    node.getChildren(file).forEach(walk);
  };
  walk(file);
  return [...ranges].sort(([a], [b]) => b - a);
};

const isType = (node) =>
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  (ts.isImportDeclaration(node) && node.importClause?.isTypeOnly);

/** The text with empty lines instead of declarations that only the compiler reads. */
const withoutTypes = (text) => {
  const file = ts.createSourceFile('bare.ts', text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
  return file.statements.filter(isType).reduceRight((rest, node) => {
    const [from, to] = [node.getStart(), node.getEnd()];
    return rest.slice(0, from) + rest.slice(from, to).replaceAll(/[^\n]/g, '') + rest.slice(to);
  }, text);
};

/**
 * Writes the sources for the maps, without comments and types, because the type files have those. Lines keep their
 * numbers, and the package is a fifth smaller.
 */
const writeSources = () => {
  const folder = join(PACKAGE, 'src');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.ts')) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true, ts.ScriptKind.TS);
    let bare = text;
    // The first line of the command names its interpreter.
    for (const [from, to] of commentsIn(file)) {
      if (text.startsWith('#!', from)) continue;
      const before = bare.slice(0, from).replace(/[ \t]+$/, '');
      bare = before + bare.slice(from, to).replaceAll(/[^\n]/g, '') + bare.slice(to);
    }
    bare = withoutTypes(bare);
    mkdirSync(dirname(join(SOURCES, name)), { recursive: true });
    writeFileSync(join(SOURCES, name), bare);
  }
};

/** Keeps only the sources that a map refers to. */
const dropUnmapped = (outputs) => {
  const mapped = new Set(
    outputs.flatMap((name) =>
      JSON.parse(readFileSync(join(DIST, 'esm', `${name}.js.map`), 'utf8')).sources.map((source) =>
        resolve(DIST, 'esm', source),
      ),
    ),
  );
  for (const name of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
    const path = join(SOURCES, name);
    if (path.endsWith('.ts') && !mapped.has(path)) rmSync(path);
  }
  rmSync(join(SOURCES, 'cli'), { recursive: true, force: true });
};

const writeCode = (format, names) =>
  Promise.all(
    names.map((name) =>
      build({
        entryPoints: [join(SOURCES, `${name}.ts`)],
        outdir: join(DIST, format),
        bundle: true,
        format,
        platform: 'node',
        target: 'es2022',
        packages: 'external',
        plugins: [besideLibrary],
        minifySyntax: true,
        minifyWhitespace: true,
        // Users see class names in objects that they print; the command prints none of its own.
        minifyIdentifiers: !LIBRARY.includes(name),
        // A stack trace refers to the sources, which the package contains once for both formats.
        sourcemap: LIBRARY.includes(name) ? 'linked' : false,
        sourcesContent: false,
        // Node prints the line at which a user’s program fails, so these lines stay short.
        ...(LIBRARY.includes(name) ? { lineLimit: LINE_MAX } : {}),
        charset: 'utf8',
      }),
    ),
  );

rmSync(DIST, { recursive: true, force: true });
writeSources();
for (const [format, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
  mkdirSync(join(DIST, format), { recursive: true });
  writeFileSync(join(DIST, format, 'package.json'), JSON.stringify({ type }));
}
// The command is executed and never required, so it has one format.
await Promise.all([
  writeCode('esm', [...LIBRARY, PROOFS, COMMAND, CHANNEL]),
  writeCode('cjs', [...LIBRARY, PROOFS]),
]);
dropUnmapped(LIBRARY);
writeTypes();
cpSync(join(ROOT, 'LICENSE'), join(TARGET, 'LICENSE'));
if (TARGET !== PACKAGE) {
  for (const name of ['package.json', 'README.md']) cpSync(join(PACKAGE, name), join(TARGET, name));
}
