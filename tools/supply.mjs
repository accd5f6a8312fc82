// Checks the supply chain. Locks must name exact packages by their hash, licences must be permitted, and no file in git
// may contain a secret. `--write` writes the lists of runtime dependencies into dist: sbom.json (CycloneDX, by npm) and
// licences.txt. The check only reads files, and `npm run check` runs it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

/**
 * The permitted licences of runtime dependencies. MPL and LGPL are permitted for unmodified libraries that are loaded
 * at run time.
 */
const LICENCES = [
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'LGPL-3.0-or-later',
  'MIT',
  'MIT-0',
  'MPL-2.0',
  'Python-2.0',
  'Unlicense',
];
const EXACT = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;
const BYTES_MAX = 2_000_000;

const SECRETS = {
  'a private key': /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{100}/,
  'a key of AWS': /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  'a live key of Stripe': /\b[rs]k_live_[0-9a-zA-Z]{20,}/,
  'a key of OpenAI': /\bsk-(?:proj-)?[A-Za-z0-9_-]{40,}/,
  'a key of Replicate': /\br8_[A-Za-z0-9]{37}\b/,
  'a key of fal': /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:[0-9a-f]{32}\b/,
  'a token of GitHub': /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60,})/,
  'a token of npm': /\bnpm_[A-Za-z0-9]{36}\b/,
  'a token of Slack': /\bxox[abprs]-[A-Za-z0-9-]{20,}/,
  'a key of ours': /\blp_[A-Za-z0-9]{64}\b/,
  'a private key of a wallet': /(?:PRIVATE_?KEY|RELAYER_KEY)['"]?\s*[:=]\s*['"]?0x[0-9a-f]{64}\b/i,
};

/** Invented secrets that are public on purpose. */
const MADE_UP = ['src/people/keys/key-format.spec.ts'];

const read = (file) => readFileSync(join(ROOT, file), 'utf8');
const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter(Boolean);
const locks = tracked.filter((file) => /(^|\/)package-lock\.json$/.test(file));

/** The packages of a lock, by their install paths. */
const packagesOf = (lock) =>
  Object.entries(JSON.parse(read(lock)).packages).filter(([place]) => place !== '');

/** Packages for another system or processor. Our registry may lack them, so the lock may not have their hash. */
const isElsewhere = ({ optional, os, cpu }) => optional === true && (os !== undefined || cpu !== undefined);

const lockProblems = locks.flatMap((lock) => {
  const { lockfileVersion, packages } = JSON.parse(read(lock));
  const { dependencies, devDependencies, optionalDependencies } = packages[''];
  const wanted = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  return [
    ...(lockfileVersion === 3 ? [] : [`${lock} is of version ${lockfileVersion}, not 3`]),
    ...wanted
      .filter(([, range]) => !EXACT.test(range))
      .map(([name, range]) => `${lock} wants ${name} as ${range}, which is no one version`),
    ...packagesOf(lock).flatMap(([place, { integrity, resolved, link, ...one }]) => [
      ...(integrity?.startsWith('sha512-') || link || isElsewhere(one)
        ? []
        : [`${lock} has no hash of ${place}`]),
      ...(resolved === undefined || resolved.startsWith('https://registry.npmjs.org/')
        ? []
        : [`${lock} takes ${place} from ${resolved}`]),
    ]),
  ];
});

/** The runtime dependencies by name and version, without duplicates. */
const running = new Map(
  packagesOf('package-lock.json')
    .filter(([, { dev }]) => dev !== true)
    .map(([place, one]) => [`${place.replace(/^.*node_modules\//, '')}@${one.version}`, one]),
);

const isAllowed = (licence) =>
  licence
    .replaceAll(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((one) => LICENCES.includes(one)));

const licenceProblems = [...running].flatMap(([name, { license, ...one }]) => {
  if (license === undefined) return isElsewhere(one) ? [] : [`${name} says no licence`];
  return isAllowed(license) ? [] : [`${name} has the licence ${license}, which is not on the list`];
});

const secretProblems = tracked
  .filter((file) => !MADE_UP.includes(file))
  .flatMap((file) => {
    const bytes = readFileSync(join(ROOT, file));
    if (bytes.length > BYTES_MAX || bytes.includes(0)) return [];
    const text = bytes.toString('utf8');
    return Object.entries(SECRETS).flatMap(([what, pattern]) => {
      const at = text.search(pattern);
      return at < 0 ? [] : [`${file}:${text.slice(0, at).split('\n').length} holds ${what}`];
    });
  });

const problems = [...lockProblems, ...licenceProblems, ...secretProblems];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

if (process.argv.includes('--write')) {
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  const options = [
    'sbom',
    '--sbom-format=cyclonedx',
    '--omit=dev',
    '--package-lock-only',
    '--loglevel=error',
  ];
  const shell = process.platform === 'win32';
  const sbom = JSON.parse(execFileSync('npm', options, { cwd: ROOT, shell, encoding: 'utf8' }));
  // npm writes a random number, the time and the name of the folder. A release needs the same bytes each time.
  const seconds = process.env.SOURCE_DATE_EPOCH;
  if (seconds !== undefined) sbom.metadata.timestamp = new Date(Number(seconds) * 1_000).toISOString();
  sbom.metadata.component.name = JSON.parse(read('package.json')).name;
  delete sbom.serialNumber;
  writeFileSync(join(ROOT, 'dist', 'sbom.json'), `${JSON.stringify(sbom, null, 2)}\n`);
  const lines = [...running].map(
    ([name, { license = 'that of the package that asks for it' }]) => `${name}: ${license}`,
  );
  writeFileSync(join(ROOT, 'dist', 'licences.txt'), `${lines.sort().join('\n')}\n`);
  console.log(`dist/sbom.json and dist/licences.txt name ${running.size} packages.`);
}
