// The time from the start of the process to its first good answer, on existing data, and its memory when idle.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { median } from '../lib/contest.mjs';
import { startService } from '../lib/service.mjs';

export const about =
  'start to first answer, warm, after the build (aim: 1.5 seconds), and what a process costs that nobody asks (aim: 1 % of a core)';

/**
 * A process does some work once after its start. The measurement begins after this time, because that work must not
 * count.
 */
const SETTLE_MS = 60_000;
const IDLE_MS = 30_000;

const tellIdle = async (service) => {
  await pause(SETTLE_MS);
  const before = service.cpuMicros();
  await pause(IDLE_MS);
  const share = (service.cpuMicros() - before) / 1_000 / IDLE_MS;
  console.log(
    `idle: ${(share * 100).toFixed(1)} % of a core, ${Math.round(service.residentBytes() / 1e6)} MB`,
  );
};

export const run = async ({ rounds }) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lamppost-bench-start-'));
  const times = [];
  let resident = 0;
  for (let round = 0; round <= rounds; round += 1) {
    const started = performance.now();
    const service = await startService({ DATA_DIR: dataDir }, [], 'dist/service.js');
    const answer = await fetch(`${service.url}/v1/agent/models`);
    if (answer.status !== 200) throw new Error(`The first answer was ${answer.status}.`);
    // The first start creates the database, so it does not count.
    if (round > 0) times.push((performance.now() - started) / 1_000);
    resident = service.residentBytes();
    if (round === rounds) await tellIdle(service);
    await service.stop();
  }
  rmSync(dataDir, { recursive: true, force: true });
  console.log(`start to first answer: median ${median(times).toFixed(2)} s of ${times.length} starts`);
  console.log(`resident after the first answer: ${Math.round(resident / 1e6)} MB`);
};
