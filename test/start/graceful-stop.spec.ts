import { setTimeout as pause } from 'node:timers/promises';

import { Agent, request } from 'undici';

import { createAdapter } from '#platform/http/http-app';
import { readSettings } from '../../src/settings';
import { BuiltService, removeFolders } from '../support/built-service';

afterAll(removeFolders);

/** Repeats a request over one kept connection, until the service accepts no more. */
const keepAsking = async (url: string, outcomes: Map<string, number>): Promise<void> => {
  const dispatcher = new Agent({ connections: 1, keepAliveTimeout: 60_000 });
  for (let last = ''; last !== 'ECONNREFUSED';) {
    try {
      const { statusCode, body } = await request(`${url}/v1/agent/quote`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"modelId":"ember-image"}',
        dispatcher,
      });
      await body.dump();
      last = String(statusCode);
    } catch (error) {
      last = String((error as { code?: unknown }).code ?? error);
    }
    outcomes.set(last, (outcomes.get(last) ?? 0) + 1);
    await pause(Math.random() * 5);
  }
  await dispatcher.close();
};

describe('SIGTERM under traffic', () => {
  it('breaks no call: running calls finish, and later ones are refused', async () => {
    const service = await BuiltService.start({ RATE_LIMIT_FREE: '0', LOG_LEVEL: 'debug' });
    const key = await service.paidKey();
    const outcomes = new Map<string, number>();
    const callers = Array.from({ length: 20 }, () => keepAsking(service.url, outcomes));
    const slow = service.post(
      '/v1/agent/chat',
      { messages: [{ role: 'user', content: 'Say hello. [[delay 2s]]' }], max_tokens: 16 },
      { 'x-api-key': key },
    );
    await pause(700);

    const began = Date.now();
    const exitCode = await service.end('SIGTERM');
    const seconds = (Date.now() - began) / 1_000;
    await Promise.all(callers);
    const answer = await slow;

    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-charge-state')).toBe('charged');
    expect(await answer.json()).toHaveProperty('choices');
    // The system resets a connection that waits to be accepted when the service stops listening.
    outcomes.delete('ECONNRESET');
    expect([...outcomes.keys()].sort()).toEqual(['200', 'ECONNREFUSED']);
    const begun = service.stdout.match(/"route":"\/v1\/agent\/quote"/g);
    expect(begun).toHaveLength(outcomes.get('200')!);
    expect(outcomes.get('200')).toBeGreaterThan(100);
    expect(exitCode).toBe(0);
    expect(seconds).toBeLessThan(15);
  });

  it('may take as long as calls may: a close that waits for them has not failed', () => {
    const { pluginTimeout } = createAdapter(readSettings({}), []).getInstance().initialConfig;

    expect(pluginTimeout).toBeGreaterThan(25_000);
  });
});
