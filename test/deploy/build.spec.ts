import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
const CLI = `import { word } from 'lib';\nprocess.stdout.write('service ' + word);\n`;

/** A small project with the tools of this one, in a folder with an odd name. */
class Project {
  readonly root = mkdtempSync(join(tmpdir(), 'lamppost é #%x-'));

  constructor() {
    for (const name of ['tools', '.swcrc', 'tsconfig.build.json', 'src/start.ts'])
      cpSync(join(ROOT, name), join(this.root, name), { recursive: true });
    for (const name of ['clients/typescript/src/a.ts', 'clients/console/a.css', 'docs/guides/a.md'])
      this.write(name, '');
    mkdirSync(join(this.root, 'node_modules'));
    for (const name of ['@swc', 'esbuild'])
      symlinkSync(join(ROOT, 'node_modules', name), join(this.root, 'node_modules', name));
    this.write('src/cli.ts', CLI);
    this.install('one');
    this.write('migrations/1-first.ts', 'export class First {}\n');
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.root, name)), { recursive: true });
    writeFileSync(join(this.root, name), text);
  }

  remove(name: string): void {
    rmSync(join(this.root, name), { recursive: true });
  }

  /** As npm installs another version of a library. */
  install(word: string): void {
    this.write('node_modules/lib/package.json', '{"name":"lib","version":"1.0.0","license":"MIT"}');
    this.write('node_modules/lib/index.js', `exports.word = '${word}';`);
    this.write('node_modules/.package-lock.json', `{"word":"${word}"}`);
  }

  /** `npm run build`. */
  build(): void {
    this.run('tools/build.mjs');
    this.run('tools/bundle.mjs');
  }

  /** `npm start`. */
  start(): string {
    this.run('tools/build.mjs');
    return this.run('dist/service.js');
  }

  /** Whether the next start uses the one file of `npm run build`. */
  get hasOneFile(): boolean {
    const starter = readFileSync(join(this.root, 'dist/service.js'), 'utf8');
    return this.oneFiles().some((name) => starter.includes(name));
  }

  oneFiles(): readonly string[] {
    return readdirSync(join(this.root, 'dist')).filter((name) => name.startsWith('service-'));
  }

  private run(name: string): string {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(this.root, name)], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return stdout;
  }
}

describe('npm start after npm run build', () => {
  let project: Project;

  beforeAll(() => {
    project = new Project();
  });
  beforeEach(() => project.build());
  afterAll(() => rmSync(project.root, { recursive: true }));

  it('starts the one file if nothing has changed', () => {
    expect([project.start(), project.hasOneFile]).toEqual(['service one', true]);
  });

  it('starts a source that has changed', () => {
    project.write('src/cli.ts', `process.stdout.write('changed');`);

    expect(project.start()).toBe('changed');

    project.write('src/cli.ts', CLI);
  });

  it('starts a library that npm has installed since', () => {
    project.install('two');

    expect(project.start()).toBe('service two');

    project.build();
    expect([project.start(), project.hasOneFile]).toEqual(['service two', true]);
  });

  it('does not start the one file if a migration is gone', () => {
    project.write('migrations/2-second.ts', 'export class Second {}\n');
    project.build();
    project.remove('migrations/2-second.ts');

    expect([project.start(), project.hasOneFile]).toEqual(['service two', false]);
  });

  it('starts without a one file that somebody has removed, and the build makes it again', () => {
    for (const name of project.oneFiles()) project.remove(join('dist', name));

    expect(project.start()).toBe('service two');

    project.build();
    expect([project.start(), project.hasOneFile]).toEqual(['service two', true]);
  });

  it('makes the list of licences again', () => {
    project.remove('dist/third-party-licenses.txt');
    project.build();

    expect(readFileSync(join(project.root, 'dist/third-party-licenses.txt'), 'utf8')).toMatch(/^lib 1\.0\.0/);
  });
});
