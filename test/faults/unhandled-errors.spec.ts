import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { BuiltService, removeFolders } from '../support/built-service';

afterAll(removeFolders);

/** Asks again and again, until the service refuses connections. */
const load = async (url: string, statuses: Set<number>): Promise<void> => {
  for (;;) {
    const answer = await fetch(`${url}/v1/agent/models`).catch(() => undefined);
    if (answer === undefined) return;
    statuses.add(answer.status);
    await answer.arrayBuffer();
  }
};

describe.each(['exception', 'rejection'])('what nobody foresaw, an %s', (kind) => {
  it('is logged once, ends no call that runs, and ends the process with 1', async () => {
    const service = await BuiltService.start({
      RATE_LIMIT_FREE: '0',
      STRAY: kind,
      NODE_OPTIONS: `--require ${join(__dirname, 'stray.cjs')}`,
    });
    const headers = { 'x-api-key': await service.paidKey() };
    const say = (content: string) => ({ messages: [{ role: 'user', content }], max_tokens: 16 });
    const slow = service.post('/v1/agent/chat', say('Say hello. [[delay 2s]]'), headers);
    const stream = service.post(
      '/v1/chat/completions',
      { ...say('Say hello. [[delay 2s]]'), stream: true },
      headers,
    );
    const statuses = new Set<number>();
    const callers = Array.from({ length: 10 }, () => load(service.url, statuses));
    await pause(700);

    service.child.kill('SIGUSR2');
    await pause(50);
    service.child.kill('SIGUSR2');
    const exitCode = await service.ended();
    await Promise.all(callers);

    const answers = await Promise.all([slow, stream]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect((await answers[0].json()) as object).toHaveProperty('choices');
    expect(await answers[1].text()).toContain('data: [DONE]');
    expect([...statuses]).toEqual([200]);
    expect(exitCode).toBe(1);
    const lines = `${service.stdout}${service.stderr}`.split('\n');
    const reported = lines.filter((line) => line.includes('nobody foresaw this'));
    expect(reported).toHaveLength(1);
    expect(JSON.parse(reported[0]!)).toMatchObject({
      level: 'fatal',
      err: { stack: expect.stringContaining('stray.cjs') },
    });
    expect(lines.join('')).not.toContain('stray-secret');
  });
});
