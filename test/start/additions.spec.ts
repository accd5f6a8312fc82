import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { newFolder, removeFolders } from '../support/built-service';

const ROOT = join(__dirname, '..', '..');

/** The additions by our schematics, and the file in which each is listed. */
const ADDITIONS = [
  { schematic: 'vendor', name: 'paint-shop', list: 'src/models/providers/vendors.ts' },
  { schematic: 'text-vendor', name: 'wordsmith', list: 'src/models/providers/vendors.ts' },
  { schematic: 'paid-route', name: 'movie-titles', list: 'src/app.module.ts' },
  { schematic: 'media-route', name: 'photo-frames', list: 'src/app.module.ts' },
  { schematic: 'resource', name: 'word-counts', list: 'src/app.module.ts' },
  { schematic: 'rail', name: 'gift-card', list: 'src/money/billing/rails/rail-order.ts' },
] as const;

/** The addition's own specs, and the contracts that find it in the lists. */
const SPECS = [
  'src/(movie-titles|photo-frames|word-counts|models/providers/paint-shop|money/billing/rails/gift-card)/',
  'test/contract/(media-vendors|optional-inputs|text-vendors|paid-routes|late-outcomes|rails)',
  'test/adversary/sold-quantities',
].join('|');
/** Other tests of these contracts run in this repository anyway. */
const TESTS = [
  'paint-shop',
  'PaintShop',
  'wordsmith takes|wordsmith .*fail',
  'movie.titles',
  'photo.frames',
  'word counts',
  'rail gift-card',
  'books .*for gift-card',
  'quantities .*each have a test',
].join('|');

jest.setTimeout(900_000);

describe('additions by our schematics, in a copy of the repository', () => {
  const copy = newFolder();

  const run = (command: string, ...args: string[]): string => {
    const env = { ...process.env, JEST_WORKER_ID: undefined, NODE_OPTIONS: undefined };
    const { status, stdout, stderr } = spawnSync(command, args, {
      cwd: copy,
      encoding: 'utf8',
      env,
      maxBuffer: 2 ** 26,
    });
    if (status !== 0)
      throw new Error(`${command} ${args.join(' ')}: ${stdout.slice(-8_000)}${stderr.slice(-8_000)}`);
    return `${stdout}${stderr}`;
  };
  const git = (...args: string[]): string[] =>
    run('git', '-c', 'user.name=test', '-c', 'user.email=test@lamppost.test', ...args)
      .split('\n')
      .filter(Boolean);

  beforeAll(() => {
    const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    for (const file of stdout.split('\n').filter(Boolean))
      if (existsSync(join(ROOT, file))) cpSync(join(ROOT, file), join(copy, file));
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    git('init', '--quiet');
  });
  afterAll(removeFolders);

  it.each(ADDITIONS)(
    '$schematic adds files, and changes two lines at most of one file',
    ({ schematic, name, list }) => {
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '--message', 'before');

      run('npx', 'nest', 'generate', '--collection', './tools/schematics', schematic, name);

      expect(git('diff', '--numstat')).toEqual([`2\t0\t${list}`]);
      const added = git('ls-files', '--others', '--exclude-standard');
      expect(added.length).toBeGreaterThan(3);
      expect(added.filter((file) => !file.includes(name))).toEqual([]);
    },
  );

  it.each([
    ['vendor', 'http'],
    ['paid-route', 'money'],
  ])('are not made in a folder that exists: %s %s', (schematic, name) => {
    const before = git('status', '--porcelain');

    // Nest's command ends with 0 even if a schematic refuses.
    const output = run('npx', 'nest', 'generate', '--collection', './tools/schematics', schematic, name);

    expect(output).toContain(`/${name} exists. Choose another name.`);
    expect(git('status', '--porcelain')).toEqual(before);
  });

  it('have the format, the words and the types of the house', () => {
    const created = git('ls-files').filter((file) => ADDITIONS.some(({ name }) => file.includes(name)));
    const config = {
      extends: './tsconfig.json',
      compilerOptions: { noEmit: true, incremental: false, tsBuildInfoFile: null },
      include: ['src/**/*.d.ts'],
      files: ['src/main.ts', ...created.filter((file) => file.endsWith('.ts'))],
    };
    writeFileSync(join(copy, 'tsconfig.additions.json'), JSON.stringify(config));

    const check = (...args: string[]) => expect(() => run('node', ...args)).not.toThrow();
    check('node_modules/oxfmt/bin/oxfmt', '--check', ...created);
    check('tools/words.mjs');
    check('node_modules/typescript/bin/tsc', '-p', 'tsconfig.additions.json');
  });

  it('pass their own tests and the contracts of their kinds', () => {
    const jestArgs = [
      '--selectProjects',
      'unit',
      'service',
      '--testPathPatterns',
      SPECS,
      '-t',
      TESTS,
      '-w',
      '1',
    ];

    const output = run('npx', 'jest', ...jestArgs);

    const passed = output.split('\n').filter((line) => line.startsWith('PASS'));
    expect(passed.length).toBe(12);
  });
});
