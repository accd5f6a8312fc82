// Prepares the package of clients/typescript for `npm pack`, in its folder or in a given one. Each entry becomes one
// file for `import` and one for `require`, and both share one file of types.
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
/** The library loads this file by name, only for payments by channel. */
const CHANNEL = 'channel';
const SOURCES = join(DIST, 'src');
const LINE_MAX = 240;

const { config } = ts.readConfigFile(join(PACKAGE, 'tsconfig.json'), (file) => ts.sys.readFile(file));
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, PACKAGE);

/** Writes the types with their comments once, for `require`. The types for `import` refer to them. */
const writeTypes = () => {
  const program = ts.createProgram(fileNames, { ...options, emitDeclarationOnly: true });
  const problems = [...ts.getPreEmitDiagnostics(program)];
  const texts = new Map();
  program.emit(undefined, (file, text) => texts.set(relative(options.outDir, file), text));
  const write = (name) => {
    const text = texts.get(name);
    if (!texts.delete(name)) return;
    // The compiler indents by four spaces, which are a fortieth of the package, so this halves the indentation.
    const slim = text
      // Compilers before 5.7 know no buffer of an array. This is the same type for those and for later ones.
      .replaceAll('Uint8Array<ArrayBuffer>', 'ReturnType<TextEncoder["encode"]>')
      .replaceAll(/^ {4,}/gm, (blanks) => blanks.slice(blanks.length / 2));
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

/** Makes files that use the library import the file beside them, so that they contain no second copy. */
const besideLibrary = {
  name: 'beside the library',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/(lamppost|proofs)\.ts$/ }, ({ kind, path }) =>
      kind === 'entry-point' ? undefined : { path: `./${basename(path, '.ts')}.js`, external: true },
    ),
};

/** Finds the ranges of all comments, which are between the tokens. */
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

/** Replaces declarations that only the compiler reads by empty lines. */
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
    // The first line of the command names its interpreter, so it stays.
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
        // Users see class names in printed objects, so the library keeps its names. The command prints no objects of
        // its own.
        minifyIdentifiers: !LIBRARY.includes(name),
        // Stack traces refer to the sources. The package contains these once for both formats.
        sourcemap: LIBRARY.includes(name) ? 'linked' : false,
        sourcesContent: false,
        // Node prints the line at which a user’s program fails, so these lines stay short.
        ...(LIBRARY.includes(name) ? { lineLimit: LINE_MAX } : {}),
        charset: 'utf8',
      }),
    ),
  );

/** Puts the comments for bundlers back, which `minifyWhitespace` removes. */
const writeNotesForBundlers = () => {
  for (const format of ['esm', 'cjs']) {
    const file = join(DIST, format, 'lamppost.js');
    const text = readFileSync(file, 'utf8');
    writeFileSync(
      file,
      text.replaceAll(
        /\bimport\((FILES|CHANNEL)\)/g,
        'import(/* webpackIgnore: true */ /* @vite-ignore */ $1)',
      ),
    );
  }
};

rmSync(DIST, { recursive: true, force: true });
writeSources();
for (const [format, type] of Object.entries({ esm: 'module', cjs: 'commonjs' })) {
  mkdirSync(join(DIST, format), { recursive: true });
  writeFileSync(join(DIST, format, 'package.json'), JSON.stringify({ type }));
}
// No program imports the command, so it has only one format.
await Promise.all([
  writeCode('esm', [...LIBRARY, PROOFS, COMMAND, CHANNEL]),
  writeCode('cjs', [...LIBRARY, PROOFS]),
]);
writeNotesForBundlers();
dropUnmapped(LIBRARY);
writeTypes();
cpSync(join(ROOT, 'LICENSE'), join(TARGET, 'LICENSE'));
if (TARGET !== PACKAGE) {
  for (const name of ['package.json', 'README.md']) cpSync(join(PACKAGE, name), join(TARGET, name));
}
