import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import ts from 'typescript';

/** The folder in which code runs: it finds the packages that a reader would have installed. */
const FOLDERS = join(__dirname, '..', 'clients', '.cache', 'examples');
/** A limit that only ends code that hangs; a busy machine must not exceed it. */
const SECONDS_MAX = 110;

/** The command line stores keys there, and not in the files of a person. */
const XDG_CONFIG_HOME = mkdtempSync(join(tmpdir(), 'config-'));

const MODULE = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 };
const CLIENT = join(__dirname, '..', '..', 'clients', 'typescript', 'src');

/** Replaces the file atomically, because other tests may be reading it. */
const replaceFile = (file: string, text: string): void => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, text);
  renameSync(`${file}.${process.pid}`, file);
};

/**
 * Puts the present sources of the TypeScript client's package where code of tests finds it by its name. Returns the
 * folder.
 */
export const installClient = (): string => {
  const folder = join(FOLDERS, 'node_modules', 'lamppost');
  const names = readdirSync(CLIENT, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  for (const name of names) {
    const { outputText } = ts.transpileModule(readFileSync(join(CLIENT, name), 'utf8'), {
      compilerOptions: { ...MODULE, rewriteRelativeImportExtensions: true },
    });
    replaceFile(join(folder, name.replace(/\.ts$/, '.js')), outputText);
  }
  const manifest = JSON.parse(readFileSync(join(CLIENT, '..', 'package.json'), 'utf8')) as {
    exports: object;
  };
  const entries = Object.keys(manifest.exports).filter((name) => name !== './package.json');
  const exports = entries.map((name) => [name, name === '.' ? './lamppost.js' : `${name}.js`] as const);
  const about = { name: 'lamppost', type: 'module', exports: Object.fromEntries(exports) };
  replaceFile(join(folder, 'package.json'), JSON.stringify(about));
  return folder;
};

/** The fenced code of a page in one language, in order: each block continues the previous one. */
export const codeIn = (markdown: string, language: string): string =>
  [...markdown.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))]
    .map(([, code]) => code)
    .join('\n');

export interface Run {
  readonly exitCode: number | null;
  readonly output: string;
  readonly errors: string;
}

type Environment = Readonly<Record<string, string>>;

export const runCommand = async (
  command: string,
  args: readonly string[],
  cwd: string,
  env: Environment,
): Promise<Run> => {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, XDG_CONFIG_HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: SECONDS_MAX * 1_000,
  });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (bytes: Buffer) => (texts.output += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (texts.errors += bytes.toString()));
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, ...texts };
};

const inFolder = async (work: (folder: string) => Promise<Run>): Promise<Run> => {
  mkdirSync(FOLDERS, { recursive: true });
  const folder = mkdtempSync(join(FOLDERS, 'lamppost-code-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** Runs a shell session; it ends with the first command that fails. */
export const runShell = (script: string, env: Environment): Promise<Run> =>
  inFolder((folder) => runCommand('bash', ['--norc', '-euo', 'pipefail', '-c', script], folder, env));

/** Runs TypeScript as a module, as Node does after it has stripped the types. */
export const runTypeScript = (code: string, env: Environment): Promise<Run> =>
  inFolder((folder) => {
    const { outputText } = ts.transpileModule(code, { compilerOptions: MODULE });
    writeFileSync(join(folder, 'code.mjs'), outputText);
    return runCommand(process.execPath, ['code.mjs'], folder, env);
  });

export const runPython = (code: string, env: Environment): Promise<Run> =>
  inFolder((folder) => runCommand('python3', ['-c', code], folder, env));
