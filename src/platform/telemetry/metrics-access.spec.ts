import { readSettings } from '../../settings';
import { mayReadMetrics, staysOnMachine } from './metrics-access';

const TOKEN = 'metrics-token-for-tests';
const HERE = { host: '127.0.0.1:3000' };
const bearer = (token: string) => ({ ...HERE, authorization: `Bearer ${token}` });

describe('reading the metrics', () => {
  it.each([
    ['127.0.0.1', HERE, true],
    ['127.8.8.8', { host: 'localhost' }, true],
    ['::1', { host: '[::1]:3000' }, true],
    ['::ffff:127.0.0.1', HERE, true],
    ['127.0.0.1', { host: 'lamppost.example' }, false],
    ['127.0.0.1', { host: '' }, false],
    ['127.0.0.1', {}, false],
    ['127.0.0.1', { host: 'localhost@lamppost.example' }, false],
    ['10.0.0.1', HERE, false],
    ['::ffff:10.0.0.1', HERE, false],
    ['2001:db8::1', HERE, false],
    [undefined, HERE, false],
    ['10.0.0.1', { ...HERE, 'x-forwarded-for': '127.0.0.1' }, false],
    ['127.0.0.1', { ...HERE, 'x-forwarded-for': '203.0.113.7' }, false],
    ['127.0.0.1', { ...HERE, forwarded: 'for=203.0.113.7' }, false],
    ['127.0.0.1', { ...bearer(TOKEN), 'x-forwarded-for': '203.0.113.7' }, true],
    ['203.0.113.7', bearer(TOKEN), true],
    ['203.0.113.7', bearer(`${TOKEN}x`), false],
    ['203.0.113.7', { ...HERE, authorization: TOKEN }, false],
  ])('from %s with %j: %s', (peer, headers, allowed) => {
    expect(mayReadMetrics({ peer, headers }, TOKEN, true)).toBe(allowed);
  });

  it('needs the token on this machine, too, once the service has a name outside', () => {
    expect(mayReadMetrics({ peer: '127.0.0.1', headers: HERE }, TOKEN, false)).toBe(false);
    expect(mayReadMetrics({ peer: '127.0.0.1', headers: bearer(TOKEN) }, TOKEN, false)).toBe(true);
  });

  it.each([
    [{}, true],
    [{ HOST: '::1', PUBLIC_URL: 'http://localhost:3000' }, true],
    [{ HOST: '0.0.0.0' }, false],
    [{ HOST: '::' }, false],
    [{ PUBLIC_URL: 'https://lamppost.example' }, false],
    [{ TRUSTED_PROXIES: '127.0.0.1' }, false],
  ])('knows by the settings %j whether the service stays on its machine: %s', (env, stays) => {
    expect(staysOnMachine(readSettings({ NODE_ENV: 'test', ...env }))).toBe(stays);
  });

  it('is closed to every token while none is set', () => {
    expect(mayReadMetrics({ peer: '203.0.113.7', headers: bearer('undefined') }, undefined, true)).toBe(
      false,
    );
  });
});
