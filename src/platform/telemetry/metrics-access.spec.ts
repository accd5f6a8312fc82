import { mayReadMetrics } from './metrics-access';

const TOKEN = 'metrics-token-for-tests';

describe('reading the metrics', () => {
  it.each([
    ['127.0.0.1', {}, true],
    ['127.8.8.8', {}, true],
    ['::1', {}, true],
    ['::ffff:127.0.0.1', {}, true],
    ['10.0.0.1', {}, false],
    ['::ffff:10.0.0.1', {}, false],
    ['2001:db8::1', {}, false],
    [undefined, {}, false],
    ['10.0.0.1', { 'x-forwarded-for': '127.0.0.1' }, false],
    ['127.0.0.1', { 'x-forwarded-for': '203.0.113.7' }, false],
    ['127.0.0.1', { forwarded: 'for=203.0.113.7' }, false],
    ['127.0.0.1', { 'x-forwarded-for': '203.0.113.7', authorization: `Bearer ${TOKEN}` }, true],
    ['203.0.113.7', { authorization: `Bearer ${TOKEN}` }, true],
    ['203.0.113.7', { authorization: `Bearer ${TOKEN}x` }, false],
    ['203.0.113.7', { authorization: TOKEN }, false],
  ])('from %s with %j: %s', (peer, headers, allowed) => {
    expect(mayReadMetrics({ peer, headers }, TOKEN)).toBe(allowed);
  });

  it('is closed to every token while none is set', () => {
    const headers = { authorization: 'Bearer undefined' };

    expect(mayReadMetrics({ peer: '203.0.113.7', headers }, undefined)).toBe(false);
  });
});
