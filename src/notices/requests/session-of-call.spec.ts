import type { FastifyRequest } from 'fastify';

import { sessionOfCall } from './session-of-call';

const session = (body: unknown, header?: string, owner = 'acc_1'): string | undefined =>
  sessionOfCall({ headers: { 'x-session': header }, body } as unknown as FastifyRequest, owner);

describe('the session of a call', () => {
  it('is named by the header, by the cache key, or by the user of the metadata', () => {
    const a = session({}, 'a');

    expect(a).toMatch(/^ss_[\w-]{20}$/);
    expect(session({ prompt_cache_key: 'a' })).toBe(a);
    expect(session({ metadata: { user_id: 'a' } })).toBe(a);
    expect(session({ prompt_cache_key: 'b', metadata: { user_id: 'c' } }, 'a')).toBe(a);
  });

  it('is another one for another owner', () => {
    expect(session({}, 'a', 'acc_2')).not.toBe(session({}, 'a'));
  });

  it.each([
    undefined,
    null,
    'text',
    [],
    { metadata: 'x' },
    { prompt_cache_key: 5 },
    { prompt_cache_key: '' },
  ])('is absent in %j', (body) => {
    expect(session(body)).toBeUndefined();
  });

  it('is absent if its name is very long', () => {
    expect(session({ prompt_cache_key: 'a'.repeat(1_001) })).toBeUndefined();
  });
});
