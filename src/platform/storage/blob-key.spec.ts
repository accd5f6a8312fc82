import { checkBlobKey } from './blob-key';

describe('a blob key', () => {
  it.each(['a', 'media/job_1', 'media/2026/job-1.png', 'refs/ref_AbC/original.tar.gz'])(
    'may be %s',
    (key) => {
      expect(checkBlobKey(key)).toBe(key);
    },
  );

  it.each([
    '',
    '/etc/passwd',
    '..',
    '../x',
    'a/../x',
    'a/..',
    'a/./b',
    'a//b',
    'a/',
    '.hidden',
    'a/.hidden',
    'a.b/c',
    'a\\b',
    'C:\\x',
    'a b',
    'a\u0000b',
    'a\nb',
    'a\n',
    '%2e%2e/x',
    'ä',
    'x'.repeat(101),
    'a/'.repeat(9) + 'b',
  ])('may not be %j', (key) => {
    expect(() => checkBlobKey(key)).toThrow('A blob key is made of');
  });
});
