import { AllowedHosts, RefusedAddress, targetOf } from './address-check';

const NOBODY = new AllowedHosts([]);

describe('the address of a file', () => {
  it.each([
    ['https://example.com/fox.png?x=1', 'example.com'],
    ['https://example.com:443/', 'example.com'],
    ['https://example.com:80/', 'example.com'],
    ['https://EXAMPLE.com./', 'example.com'],
    ['https://93.184.216.34/', '93.184.216.34'],
    ['https://[2606:4700::1111]/', '2606:4700::1111'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
  ])('%s is fetched from %s', (text, host) => {
    expect(targetOf(text, NOBODY)).toMatchObject({ host, isAllowed: false });
  });

  it.each([
    ['file:///etc/passwd', 'only https'],
    ['gopher://example.com/', 'only https'],
    ['ftp://example.com/x', 'only https'],
    ['data:text/plain,x', 'only https'],
    ['blob:https://example.com/1', 'only https'],
    ['javascript:alert(1)', 'only https'],
    ['http://example.com/', 'only https'],
    ['https://example.com:22/', 'only the ports'],
    ['https://example.com:25/', 'only the ports'],
    ['https://example.com:6379/', 'only the ports'],
    ['https://user@example.com/', 'a user name'],
    ['https://user:secret@example.com/', 'a user name'],
    ['//example.com/', 'not a valid'],
    ['example.com', 'not a valid'],
    ['', 'not a valid'],
    ['https://', 'not a valid'],
    ['https://exa mple.com/', 'not a valid'],
    [' https://example.com/', 'not a valid'],
    ['https://example.com/\r\nx: y', 'not a valid'],
    ['https://exam\tple.com/', 'not a valid'],
    ['https:\\\\example.com\\', 'not a valid'],
    ['https://[fe80::1%25eth0]/', 'not a valid'],
    [`https://example.com/${'x'.repeat(4_096)}`, 'not a valid'],
  ])('%s is refused: %s', (text, reason) => {
    expect(() => targetOf(text, NOBODY)).toThrow(reason);
  });

  it('takes plain http only where it is asked to, and then no other address than otherwise', () => {
    expect(targetOf('http://example.com/', NOBODY, undefined, true).host).toBe('example.com');
    for (const inside of [
      'http://127.0.0.1/',
      'http://localhost/',
      'http://2130706433/',
      'http://example.com:22/',
    ]) {
      expect(() => targetOf(inside, NOBODY, undefined, true)).toThrow(RefusedAddress);
    }
    expect(() => targetOf('http://example.com/', NOBODY, new URL('https://example.com/'), true)).toThrow(
      'from https to http',
    );
  });

  it('may not lead from https to http', () => {
    const allowed = new AllowedHosts(['cdn.internal']);

    expect(() => targetOf('http://cdn.internal/x', allowed, new URL('https://example.com/'))).toThrow(
      'to http',
    );
  });

  it('may be relative after a redirect, and is checked like the first', () => {
    const base = new URL('https://example.com/a/b');

    expect(targetOf('../c', NOBODY, base).url.href).toBe('https://example.com/c');
    expect(() => targetOf('//127.0.0.1/c', NOBODY, base)).toThrow('no public address');
  });
});

describe('the hosts that an operator allows', () => {
  const allowed = new AllowedHosts(['CDN.internal', '127.0.0.1:9000', '::1', '[fd00::5]:81']);

  it.each([
    'http://cdn.internal/x',
    'https://cdn.internal:8443/x',
    'http://cdn.internal./x',
    'http://127.0.0.1:9000/',
    'http://2130706433:9000/',
    'http://[::1]:5/',
    'http://[fd00:0:0::5]:81/',
  ])('let %s through', (text) => {
    expect(targetOf(text, allowed).isAllowed).toBe(true);
  });

  it.each([
    'http://127.0.0.1/',
    'http://127.0.0.1:9001/',
    'http://xcdn.internal/',
    'http://a.cdn.internal/',
    'http://cdn.internal.example.com/',
    'http://[fd00::5]/',
    'http://x@cdn.internal/',
  ])('do not let %s through', (text) => {
    expect(() => targetOf(text, allowed)).toThrow(RefusedAddress);
  });
});
