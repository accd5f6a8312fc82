import { bytesOfBase64 } from './base64';

describe('base64', () => {
  it.each(['', 'QQ==', 'QUI=', 'QUJD', '+/+/', 'G'])('takes "%s"', (text) => {
    expect(bytesOfBase64(text)).toEqual(Buffer.from(text, 'base64'));
  });

  it.each(['QQ===', '==QQ', 'Q Q=', 'Q\nQ=', 'QQ==QQ', '-_-_', 'é'])('refuses "%s"', (text) => {
    expect(bytesOfBase64(text)).toBeUndefined();
  });
});
