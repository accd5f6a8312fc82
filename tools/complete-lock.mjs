// Adds to each package-lock.json the optional packages of other platforms. `npm install` omits packages that the
// registry does not have, and then `npm ci` refuses the lock on every machine. The name of such a package contains its
// platform, and the package that requires it names its version, so no look-up is needed.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = {
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  openharmony: 'openharmony',
  win32: 'win32',
  windows: 'win32',
};
const PROCESSORS = {
  amd64: 'x64',
  arm: 'arm',
  arm64: 'arm64',
  ia32: 'ia32',
  loong64: 'loong64',
  ppc64: 'ppc64',
  riscv64: 'riscv64',
  s390x: 's390x',
  x64: 'x64',
};
const LIBRARIES = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

/** Whether the lock has a package with this name for `path`: in its own folder, or in any folder above. */
const isLocked = (lock, name, path) => {
  const folders = path.split('/node_modules/');
  return (
    folders.some((_, index) => {
      const folder = folders.slice(0, index + 1).join('/node_modules/');
      return `${folder}/node_modules/${name}` in lock.packages;
    }) || `node_modules/${name}` in lock.packages
  );
};

const platformOf = (name) => {
  const words = name.split(/[/-]/);
  const os = words.find((word) => word in SYSTEMS);
  const cpu = words.find((word) => word in PROCESSORS);
  const libc = words.find((word) => word in LIBRARIES);
  if (os === undefined || cpu === undefined) {
    throw new Error(`${name} does not say in its name what system it is for; add it to the lock by hand.`);
  }
  return {
    cpu: [PROCESSORS[cpu]],
    libc: libc === undefined ? undefined : [LIBRARIES[libc]],
    os: [SYSTEMS[os]],
  };
};

const complete = (file) => {
  const lock = JSON.parse(readFileSync(file, 'utf8'));
  const added = {};
  for (const [path, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isLocked(lock, name, path)) continue;
      if (!/^\d+\.\d+\.\d+[\w.-]*$/.test(version)) {
        throw new Error(`${path} asks for ${name} ${version}; only an exact version can be added.`);
      }
      const { dev, devOptional } = entry;
      const { cpu, libc, os } = platformOf(name);
      // The fields have npm's own order, so that the next install does not change the file.
      added[`node_modules/${name}`] = { version, cpu, dev, devOptional, libc, optional: true, os };
    }
  }
  const names = Object.keys(added);
  const packages = Object.fromEntries(
    Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => a.localeCompare(b, 'en')),
  );
  if (names.length > 0) writeFileSync(file, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);
  console.log(names.length === 0 ? `${file} is complete.` : `Added ${names.length} packages to ${file}.`);
};

const files = execFileSync('git', [
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  '*package-lock.json',
]);
for (const file of files.toString().trim().split('\n')) complete(file);
