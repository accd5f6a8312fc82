// node tools/release/files.mjs FOLDER [--image]: writes the files of a release into FOLDER. The repository is a clean clone
// with its packages, at the commit of the release. tools/release/run.mjs calls this twice and compares the bytes.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { versionIn } from './versions.mjs';

// npm packs files with their permissions.
process.umask(0o022);

const ROOT = join(import.meta.dirname, '..', '..');
const [folder, ...flags] = process.argv.slice(2);
const version = versionIn(ROOT);
const epoch = Number(process.env.SOURCE_DATE_EPOCH);

const run = (command, ...args) =>
  execFileSync(command, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
process.env.npm_config_update_notifier = 'false';
const pack = (place) => run('npm', 'pack', place, '--silent', '--pack-destination', folder);

pack('.');
run(process.execPath, 'tools/build-client.mjs');
pack('./clients/typescript');
run('python3', '-I', 'tools/release/wheel.py', 'clients/python', folder);
run(process.execPath, 'tools/supply.mjs', '--write');
const sbom = JSON.parse(readFileSync(join(ROOT, 'dist', 'sbom.json'), 'utf8'));
const writeSbom = (kind, components) =>
  writeFileSync(
    join(folder, `lamppost-service-${version}.${kind}.json`),
    `${JSON.stringify({ ...sbom, components }, null, 2)}\n`,
  );
writeSbom('sbom', sbom.components);

if (flags.includes('--image')) {
  const { makeImage } = await import('./image.mjs');
  const tarball = join(folder, `lamppost-service-${version}.tgz`);
  const file = join(folder, `lamppost-service-${version}.image.tar`);
  const beside = makeImage({ tarball, file, version, epoch });
  writeSbom('image.sbom', [...sbom.components, ...beside]);
}
