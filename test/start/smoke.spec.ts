import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { FakeFal } from '../support/fake-fal';
import { FakeOpenai } from '../support/fake-openai';
import type { FakeProvider } from '../support/fake-provider';

const ROOT = join(__dirname, '..', '..');

const smoke = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
  const child = spawn(process.execPath, ['-r', './tools/typescript.cjs', 'tools/smoke.ts', ...args], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  return { code, said };
};

/** The tool buys from real vendors. Here it buys from fakes of them, so that it keeps working. */
describe('the smoke test of a provider', () => {
  const fakes: FakeProvider[] = [];
  afterAll(() => Promise.all(fakes.map((fake) => fake.stop())));

  it('buys nothing without --spend', async () => {
    const fal = await FakeFal.start();
    fakes.push(fal);

    const { code, said } = await smoke({ ...fal.env, LIVE_COSTS: 'false' }, 'fal');

    expect(said).toContain('would buy image');
    expect([code, fal.accepted.length]).toEqual([0, 0]);
  });

  it('buys one of each kind, and says what failed', async () => {
    const openai = await FakeOpenai.start();
    fakes.push(openai);
    const env = { ...openai.env, FETCH_ALLOW_HOSTS: openai.host };

    openai.failNext('chat', 500);

    const { code, said } = await smoke(env, 'openai', '--spend');

    expect(said).toMatch(/FAIL chat .*\nok {3}streamed chat: .*\nok {3}image: image\/png/);
    expect(code).toBe(1);
  });
});
