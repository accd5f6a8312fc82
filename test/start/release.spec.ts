import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
/** The wheel needs a Python that reads TOML. */
const { status } = spawnSync('python3', ['-c', 'import tomllib']);
const describeWithPython = status === 0 ? describe : describe.skip;

const VERSION = '9.8.7';
const LAST = 'v9.8.6';
const DOCUMENT = 'docs/openapi/agent.json';
const FILES = [
  `lamppost-${VERSION}-py3-none-any.whl`,
  `lamppost-${VERSION}.tgz`,
  `lamppost-service-${VERSION}.sbom.json`,
  `lamppost-service-${VERSION}.tgz`,
];

/** A maintainer signs all commits and tags by default, with a key that is not here. */
const SIGNING = {
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: 'commit.gpgSign',
  GIT_CONFIG_VALUE_0: 'true',
  GIT_CONFIG_KEY_1: 'tag.gpgSign',
  GIT_CONFIG_VALUE_1: 'true',
  GIT_CONFIG_KEY_2: 'gpg.program',
  GIT_CONFIG_VALUE_2: 'false',
};

jest.setTimeout(300_000);

describeWithPython('npm run release', () => {
  let folder: string;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const release = (...args: string[]) =>
    spawnSync(process.execPath, ['tools/release/run.mjs', ...args, '--modules', join(ROOT, 'node_modules')], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...SIGNING },
    });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const state = () => [git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')];

  const withoutRoute = (path: string) => {
    const document = JSON.parse(read(DOCUMENT)) as { paths: Record<string, object> };
    delete document.paths[path];
    writeFileSync(join(folder, DOCUMENT), JSON.stringify(document));
    git('commit', '--quiet', '--all', '--message', 'A route less');
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'release-'));
    execFileSync('git', ['clone', '--quiet', ROOT, folder]);
    git('config', 'user.name', 'A maintainer');
    git('config', 'user.email', 'maintainer@example.com');
    for (const tag of git('tag').split('\n').filter(Boolean)) git('tag', '--delete', tag);
    withoutRoute('/v1/agent/quote');
    git('tag', LAST);
    git('checkout', '--quiet', 'HEAD^', '--', DOCUMENT);
    const changelog = read('CHANGELOG.md').replace(
      /^## Unreleased$/m,
      '## Unreleased\n\n### Callers\n\n- A change.',
    );
    writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('refuses a folder with changes', () => {
    const { status: code, stderr } = release(VERSION, '--check');

    expect([code, stderr]).toEqual([1, expect.stringContaining('There are changes that are not committed.')]);
    git('commit', '--quiet', '--all', '--message', 'A change');
  });

  it('only checks, with --check', () => {
    const before = state();
    const { status: code, stdout, stderr } = release(VERSION, '--check');

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.match(/(?<=^[0-9a-f]{64} {2}).*$/gm)).toEqual(FILES);
    expect(stdout).toContain('Both builds have the same bytes.');
    expect(state()).toEqual(before);
  });

  it('makes the version, the tag, the section, the files, their sums and a statement', () => {
    const [before] = state();
    const { status: code, stderr } = release(VERSION);

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const [commit, tags] = state();
    expect([git('rev-parse', 'HEAD^'), tags, git('rev-parse', `v${VERSION}^{commit}`)]).toEqual([
      before,
      `${LAST}\nv${VERSION}`,
      commit,
    ]);
    expect(read('CHANGELOG.md')).toMatch(
      new RegExp(
        `^## Unreleased\\n\\n.*\\n\\n## ${VERSION} \\(\\d{4}-\\d\\d-\\d\\d\\)\\n\\n### Callers$`,
        'm',
      ),
    );
    expect(read('CHANGELOG.md')).toContain(
      '\n- A change.\n\n**Added**:\n\n- `POST /v1/agent/quote` is new.\n\n### ',
    );
    expect(spawnSync(process.execPath, ['tools/release/versions.mjs'], { cwd: folder }).status).toBe(0);

    const out = join('dist', 'release', VERSION);
    const statement = `lamppost-${VERSION}.intoto.json`;
    expect(readdirSync(join(folder, out)).sort()).toEqual(['SHA256SUMS', statement, ...FILES].sort());
    const sumOf = (name: string) =>
      createHash('sha256')
        .update(readFileSync(join(folder, out, name)))
        .digest('hex');
    expect(read(join(out, 'SHA256SUMS'))).toBe(
      [...FILES, statement].map((name) => `${sumOf(name)}  ${name}\n`).join(''),
    );
    expect(JSON.parse(read(join(out, statement)))).toMatchObject({
      _type: 'https://in-toto.io/Statement/v1',
      subject: FILES.map((name) => ({ name, digest: { sha256: sumOf(name) } })),
      predicate: {
        buildDefinition: { resolvedDependencies: [{ digest: { gitCommit: commit } }, {}, {}, {}] },
      },
    });
  });

  it('makes the files of a version again only from the commit of its tag', () => {
    git('commit', '--quiet', '--allow-empty', '--message', 'A later change');

    expect(release('--check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`This commit is not that of the tag v${VERSION}.`),
    });
  });

  it.each(['9.8.6', '1.0.0', '9.08.8', '9.9', 'v9.9.0', '9.9.0-rc.1'])('refuses the number %s', (number) => {
    expect(release(number, '--check')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/is no version such as|is before 9[.]8[.]7/),
    });
  });

  it('refuses a breaking change in a version that is not a new major one, and one without a name in any', () => {
    withoutRoute('/v1/agent/quote');
    const broken = '\n- `POST /v1/agent/quote` is removed.\n';

    expect(release('9.9.0', '--check')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/Only a new major version may have these[^]*/),
    });
    expect(release('10.0.0', '--check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(broken),
    });
  });
});
