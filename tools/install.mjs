// Installs what a folder of its own needs, the first time that it is needed and when its lock has changed since:
// `node tools/install.mjs tools test`. What runs, builds and unit-tests the service stands in the root's package.json;
// the rest stands where it is used, so that nobody waits for what he does not use.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const OPTIONS = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

const textOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

for (const folder of process.argv.slice(2)) {
  const lock = join(ROOT, folder, 'package-lock.json');
  // Not by time: whoever copies a tree or goes back to an older commit makes an old file new.
  const installed = join(ROOT, folder, 'node_modules', '.installed-lock.json');
  if (textOf(installed) === textOf(lock)) continue;
  console.error(`Installing the packages of ${folder}/package.json, once …`);
  const { status } = spawnSync('npm', ['ci', ...OPTIONS], {
    cwd: join(ROOT, folder),
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    console.error(
      `The packages of ${folder} are not installed: npm said why above. They come from npm's registry, so this needs the ` +
        `network once. The service itself and \`npm run test:unit\` do without them.`,
    );
    process.exit(1);
  }
  copyFileSync(lock, installed);
}
