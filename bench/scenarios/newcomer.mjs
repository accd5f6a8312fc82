// The time for a new user from the clone to the first paid answer, by the README's commands. It uses the packages in
// this machine's npm cache.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { freePort } from '../lib/process.mjs';

export const about = 'clone to first paid answer (aim: 60 seconds, 500 MB)';

const ROOT = new URL('../..', import.meta.url).pathname;
const SECONDS_MAX = 300;

/** Runs the README's session with an API key, at the address of this process. */
const firstPaidCall = (url) => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const [, session = ''] = /### With an API key[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-newcomer-'));
  try {
    return execFileSync(
      'bash',
      ['--norc', '-euo', 'pipefail', '-c', session.replace('http://127.0.0.1:3000', url)],
      {
        cwd: folder,
        encoding: 'utf8',
      },
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
};

const megabytesOf = (folder) =>
  Number(
    execFileSync('du', ['-sm', join(folder, 'node_modules')])
      .toString()
      .split('\t')[0],
  );

const asNewcomer = async (install) => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-clone-'));
  const started = performance.now();
  const seconds = () => (performance.now() - started) / 1_000;
  execFileSync('git', ['clone', '-q', ROOT, folder]);
  execFileSync('npm', install, { cwd: folder, stdio: 'ignore' });
  const installed = seconds();
  const megabytes = megabytesOf(folder);
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules', '.package-lock.json'), 'utf8'));
  const looking = seconds() - installed;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...process.env, PORT: String(port) },
    stdio: 'ignore',
  });
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (seconds() > SECONDS_MAX) throw new Error('It never got ready.');
    await pause(50);
  }
  const answer = firstPaidCall(url);
  if (!/x-charge-state: charged/i.test(answer)) throw new Error(`It was not paid:\n${answer}`);
  const paid = seconds() - looking;
  service.kill('SIGTERM');
  await once(service, 'exit');
  console.log(
    `npm ${install.slice(0, 2).join(' ')}: ${installed.toFixed(0)} s for ${Object.keys(packages).length} packages, ${megabytes} MB; ` +
      `first paid answer after ${paid.toFixed(0)} s`,
  );
  rmSync(folder, { recursive: true, force: true });
};

export const run = async () => {
  const quiet = ['--no-audit', '--no-fund'];
  await asNewcomer(['install', '--omit=dev', ...quiet]);
  await asNewcomer(['install', ...quiet]);
};
