import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('the check of background work', () => {
  it.each([
    ['setInterval(() => look(), 10);', true],
    ['setTimeout(async () => look(), 10);', true],
    ['setTimeout(() => void look(), 10);', true],
    ['setTimeout(resolve, 10);', false],
  ])('%s is refused: %s', (code, isRefused) => {
    const root = mkdtempSync(join(tmpdir(), 'timers-'));
    mkdirSync(join(root, 'src', 'jobs'), { recursive: true });
    writeFileSync(join(root, 'src', 'jobs', 'stray.ts'), code);

    const { status, stdout } = spawnSync(process.execPath, ['tools/background-timers.mjs', root], {
      encoding: 'utf8',
    });

    expect(status).toBe(isRefused ? 1 : 0);
    expect(stdout.includes('stray.ts:1')).toBe(isRefused);
    rmSync(root, { recursive: true });
  });
});
