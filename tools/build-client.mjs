// Makes the package of clients/typescript ready to be packed, there or in the folder that is named: for those who import
// it and for those who require it, with its types, which are written once. Both have files of the same names, which npm packs side by
// side, so that the second weighs little.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

import { transformFileSync } from '@swc/core';
import ts from 'typescript';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const PACKAGE = join(ROOT, 'clients', 'typescript');
const TARGET = resolve(process.argv[2] ?? PACKAGE);
const DIST = join(TARGET, 'dist');
const SOURCE = join(PACKAGE, 'src');
/** What can be imported. */
const LIBRARY = ['lamppost', 'ai'];
const KINDS = {
  esm: { type: 'module', module: 'es6' },
  cjs: { type: 'commonjs', module: 'commonjs' },
};
/** The command is run, and nobody's to import or to require. */
const isCommand = (name) => name.startsWith('cli');

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

/** A line for each statement and each member: Node prints the line at which a program of somebody's broke off. */
const inLines = (code) => {
  const starts = new Set();
  const visit = (node) => {
    const isOwnLine =
      ts.isClassElement(node) || (node.parent && (ts.isBlock(node.parent) || ts.isSourceFile(node.parent)));
    if (isOwnLine) starts.add(node.getStart());
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('code.js', code, ts.ScriptTarget.ESNext, true));
  const cuts = [0, ...[...starts].filter((at) => at > 0).sort((a, b) => a - b), code.length];
  return cuts
    .slice(1)
    .map((end, at) => code.slice(cuts[at], end))
    .join('\n');
};

const writeCode = (kind, module) => {
  for (const file of fileNames.filter((name) => !name.endsWith('.types.ts'))) {
    const name = relative(SOURCE, file).replace(/\.ts$/, '.js');
    if (kind === 'cjs' && isCommand(name)) continue;
    const { code } = transformFileSync(file, {
      swcrc: false,
      minify: true,
      module: { type: module, ignoreDynamic: true },
      jsc: {
        parser: { syntax: 'typescript' },
        target: 'es2022',
        rewriteRelativeImportExtensions: true,
        // Names of classes are what users see of an object that they print.
        minify: { compress: { sequences: false }, mangle: { keepClassNames: true }, module: true },
      },
    });
    // The command tells people what to do in its own words, and shows nobody a line of its code.
    writeFileSync(join(DIST, kind, name), isCommand(name) ? code : inLines(code));
  }
};

rmSync(DIST, { recursive: true, force: true });
const folders = readdirSync(SOURCE, { withFileTypes: true }).filter((entry) => entry.isDirectory());
for (const [kind, { type, module }] of Object.entries(KINDS)) {
  for (const { name } of [{ name: '' }, ...folders]) {
    if (kind === 'esm' || !isCommand(name)) mkdirSync(join(DIST, kind, name), { recursive: true });
  }
  writeFileSync(join(DIST, kind, 'package.json'), JSON.stringify({ type }));
  writeCode(kind, module);
}
writeTypes();
cpSync(join(ROOT, 'LICENSE'), join(TARGET, 'LICENSE'));
if (TARGET !== PACKAGE) {
  for (const name of ['package.json', 'README.md']) cpSync(join(PACKAGE, name), join(TARGET, name));
}
