import { SignInBusy } from './accounts.errors';
import { Passwords } from './passwords';

describe('passwords', () => {
  it('match their own hash and no other, however their letters are composed', async () => {
    const passwords = new Passwords();
    const stored = await passwords.hash('Zoë is here');

    expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await passwords.hash('Zoë is here')).not.toBe(stored);
    expect(await passwords.matches(stored, 'Zoe\u0308 is here')).toBe(true);
    expect(await passwords.matches(stored, 'zoë is here')).toBe(false);
  });

  it('never match when there is no hash to match', async () => {
    expect(await new Passwords().matches(undefined, 'no password has this hash')).toBe(false);
  });

  it('are refused when too many wait, and those in line are still served', async () => {
    const passwords = new Passwords();

    const hashed = await Promise.allSettled(Array.from({ length: 54 }, () => passwords.hash('a password')));

    const refused = hashed.filter((outcome) => outcome.status === 'rejected');
    expect(refused).toHaveLength(2);
    expect(refused.every(({ reason }) => reason instanceof SignInBusy)).toBe(true);
    expect(await passwords.hash('a password')).toContain('argon2id');
  });
});
