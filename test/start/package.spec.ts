import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { BuiltService, newFolder, removeFolders } from '../support/built-service';
import { expectEventually } from '../support/eventually';
import { recordingForm } from '../support/recording-form';

const ROOT = join(__dirname, '..', '..');
/**
 * The files that `npm pack` reads. The test packs a copy, because packing changes package.json, which other suites
 * read.
 */
const SOURCES = [
  '.env.example',
  '.swcrc',
  'LICENSE',
  'README.md',
  'clients',
  'docs/guides',
  'migrations',
  'package-lock.json',
  'package.json',
  'src',
  'tools',
  'tsconfig.build.json',
  'tsconfig.json',
];

const PATHS = ['/', '/docs', '/v1/agent/guide.md', '/guides/budgets'];

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

const manifestIn = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

const run = (command: string, args: readonly string[], cwd: string) =>
  spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, LOG_LEVEL: 'warn' } });

jest.setTimeout(240_000);

describe('the package that npm pack makes', () => {
  const source = newFolder();
  const folder = newFolder();
  const command = join(folder, 'package', 'dist', 'service.js');

  beforeAll(() => {
    for (const name of SOURCES) {
      const from = join(ROOT, name);
      cpSync(from, join(source, name), { recursive: true, filter: (file) => !file.includes('node_modules') });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(source, 'node_modules'));
    const packed = run('npm', ['pack', '--pack-destination', folder], source);
    expect({ status: packed.status, stderr: packed.status === 0 ? '' : packed.stderr }).toEqual({
      status: 0,
      stderr: '',
    });
    const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    expect(run('tar', ['xzf', tarball], folder).status).toBe(0);
    // The packages as npm installs them: only those that the package lists.
    const { dependencies, optionalDependencies } = manifestIn(join(folder, 'package'));
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const installed = join(ROOT, 'node_modules', name);
      const place = join(folder, 'package', 'node_modules', name);
      if (!existsSync(installed)) continue; // Binaries of Postgres for other systems are not installed.
      mkdirSync(dirname(place), { recursive: true });
      symlinkSync(installed, place);
    }
  });

  afterAll(removeFolders);

  it('leaves package.json as it was', () => {
    expect(manifestIn(source)).toEqual(manifestIn(ROOT));
    expect(existsSync(join(source, 'npm-shrinkwrap.json'))).toBe(false);
  });

  it('asks npm for the versions that the lock names', () => {
    const shrinkwrap = JSON.parse(readFileSync(join(folder, 'package', 'npm-shrinkwrap.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly version: string }>>;
    };
    const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as typeof shrinkwrap;
    const { '': _, ...packages } = shrinkwrap.packages;

    expect(Object.keys(packages)).toContain('node_modules/sharp');
    expect(Object.keys(packages)).not.toContain('node_modules/jest');
    for (const [place, { version }] of Object.entries(packages))
      expect([place, version]).toEqual([place, lock.packages[place]?.version]);
  });

  it('brings the licenses of the code that is in its one file', () => {
    const text = readFileSync(join(folder, 'package', 'dist', 'third-party-licenses.txt'), 'utf8');

    for (const name of ['@nestjs/core', 'fastify', 'typeorm', 'viem']) expect(text).toContain(`\n${name} `);
  });

  it.each([
    ['--help', 0, /^Usage: lamppost-service/],
    ['--version', 0, new RegExp(`^${manifestIn(ROOT).version.replaceAll('.', '[.]')}\n$`)],
    ['strat', 2, /^There is no command "strat"[.] Did you mean "start"[?]/],
    ['--prot', 2, /^Unknown option '--prot'/],
  ])('answers %s with exit code %d', (word, status, text) => {
    const answer = run(process.execPath, [command, word], folder);

    expect(answer.status).toBe(status);
    expect(answer.stdout + answer.stderr).toMatch(text);
  });

  it('serves a newcomer: pages, documents, a paid picture, a transcript and a film', async () => {
    const service = await BuiltService.start({}, [command]);
    const { url } = service;
    try {
      for (const path of PATHS) expect([path, (await fetch(url + path)).status]).toEqual([path, 200]);
      const page = await (await fetch(url)).text();
      const [, style = ''] = /href="(assets\/[^"]+[.]css)"/.exec(page) ?? [];
      expect([style, (await fetch(`${url}/${style}`)).status]).toEqual([expect.stringContaining('css'), 200]);

      const headers = { 'x-api-key': await service.paidKey() };
      const picture = await service.post('/v1/agent/generate', { prompt: 'A red fox' }, headers);
      expect([picture.status, picture.headers.get('x-charge-state')]).toEqual([200, 'charged']);
      const [type, recording] = await recordingForm();
      const transcript = await fetch(`${url}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body: new Uint8Array(recording),
      });
      expect([transcript.status, transcript.headers.get('x-charge-state')]).toEqual([200, 'charged']);
      const film = await service.post('/v1/agent/videos', { prompt: 'A red fox runs' }, headers);
      expect(film.status).toBe(200);
      const { id } = (await film.json()) as { id: string };
      await expectEventually(async () => {
        const job = (await (await fetch(`${url}/v1/agent/jobs/${id}`)).json()) as { status: string };
        return job.status === 'done';
      });
    } finally {
      expect(await service.end()).toBe(0);
    }
    // The other commands find the database of the stopped service.
    const migrated = spawnSync(process.execPath, [command, 'migrate'], {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], DATA_DIR: service.dataDir },
    });
    expect([migrated.stdout, migrated.stderr]).toEqual([
      `The schema of the embedded database below ${service.dataDir} is up to date.\n`,
      '',
    ]);
  });
});
