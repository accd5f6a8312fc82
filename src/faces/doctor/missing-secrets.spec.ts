import { readSettings } from '../../settings';
import { missingSecrets } from './missing-secrets';

const REAL = { OPENAI_API_KEY: 'sk-test', ALLOW_SANDBOX_MIX: 'true', DATA_DIR: '/srv/lamppost' };
const SECRET = { SIGNING_SECRET: 'a9'.repeat(32) };
const TOKEN = { ADMIN_TOKEN: 'b8'.repeat(16) };

const MADE =
  'SIGNING_SECRET is not set, so the service uses the secret in /srv/lamppost/signing-secret: ' +
  'back up this file, or copy its text to SIGNING_SECRET';
const NOBODY = 'neither ADMIN_TOKEN nor ADMIN_TOKENS is set, so nobody can use /admin';

describe('the secrets that a service with real money lacks', () => {
  it.each([
    ['nothing in a sandbox', {}, []],
    ['both', REAL, [MADE, NOBODY]],
    ['the signing secret', { ...REAL, ...TOKEN }, [MADE]],
    ['the token of an operator', { ...REAL, ...SECRET }, [NOBODY]],
    ['no token in a worker, which has no /admin', { ...REAL, ...SECRET, ROLE: 'worker' }, []],
    ['an empty secret as an absent one', { ...REAL, ...TOKEN, SIGNING_SECRET: '' }, [MADE]],
    ['nothing', { ...REAL, ...SECRET, ...TOKEN }, []],
  ])('are named: %s', (_, variables, expected) => {
    expect(missingSecrets(readSettings(variables))).toEqual(expected);
  });
});
