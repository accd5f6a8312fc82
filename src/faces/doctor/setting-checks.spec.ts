import { readSettings } from '../../settings';
import { SETTING_CHECKS } from './setting-checks';

describe('the doctor of a service without a proxy', () => {
  it.each([
    ['http://localhost:3000', 'ok'],
    ['http://127.0.0.1:3000', 'ok'],
    ['http://127.0.0.2:3000', 'ok'],
    ['http://[::1]:3000', 'ok'],
    ['http://127.0.0.2.example:3000', 'bad'],
    ['http://192.168.0.2:3000', 'bad'],
    ['https://lamp.example', 'bad'],
  ])('at %s reports it as %s', async (PUBLIC_URL, expected) => {
    const { outcome } = await SETTING_CHECKS['proxies']!(readSettings({ PUBLIC_URL }));

    expect(outcome).toBe(expected);
  });
});
