import { isCommonPassword } from './password-rules';

describe('a password', () => {
  it.each([
    'password123',
    'Password1234!',
    'P@ssw0rd2024',
    'passw0rd!!',
    '1234567890',
    '12345678901',
    '0987654321',
    'qwertyuiop',
    'qwertyuiop12',
    '1q2w3e4r5t',
    '1qaz2wsx3edc',
    'aaaaaaaaaaaa',
    'abababababab',
    'iloveyou1234',
    'Administrator',
    'correct horse battery staple',
    'ｐａｓｓｗｏｒｄ１２３',
  ])('is common: %s', (password) => {
    expect(isCommonPassword(password)).toBe(true);
  });

  it('is common if it is the address of its person', () => {
    expect(isCommonPassword('margaret.h', 'margaret.h@example.com')).toBe(true);
    expect(isCommonPassword('margarethamilton', 'margarethamilton@example.com')).toBe(true);
    expect(isCommonPassword('margarethamilton99', 'margarethamilton@example.com')).toBe(true);
  });

  it.each([
    'a long passphrase',
    'correct horse battery',
    'analytical engine',
    'Zoë is here!',
    'tr0ub4dor&3x',
    'x7#kQ9!vLm2$',
    'my password is a fox',
  ])('is not common: %s', (password) => {
    expect(isCommonPassword(password, 'you@example.com')).toBe(false);
  });
});
