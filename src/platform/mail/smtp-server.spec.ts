import { readSettings } from '../../settings';
import type { BadSettings } from '../config/variables';
import { parseSmtpUrl } from './smtp-server';

const FROM = 'alerts@example.com';
const settingsOf = (SMTP_URL: string, SMTP_FROM = FROM) => readSettings({ SMTP_URL, SMTP_FROM });

const problemsOf = (url: string, from?: string): readonly string[] => {
  try {
    settingsOf(url, from);
    return [];
  } catch (error) {
    return (error as BadSettings).problems;
  }
};

describe('the address of the mail server', () => {
  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, isSecure: false }],
    ['smtps://mail.example.com/', { host: 'mail.example.com', port: 465, isSecure: true }],
    ['smtp://[::1]:25', { host: '::1', port: 25, isSecure: false }],
    [
      'smtps://me%40example.com:p%3Aw%2Fd@10.0.0.7:2465',
      { host: '10.0.0.7', port: 2465, isSecure: true, user: 'me@example.com', password: 'p:w/d' },
    ],
  ])('is read: %s', (url, server) => {
    expect(parseSmtpUrl(url)).toEqual(server);
  });

  it.each([
    'mail.example.com:587',
    'https://user:hunter2@mail.example.com',
    'smtp://',
    'smtp://user@mail.example.com',
    'smtp://:hunter2@mail.example.com',
    'smtp://user:%ff@mail.example.com',
    'smtp://user:hunter2@mail.example.com:99999',
    'smtp://user:hunter2@mail.example.com:0',
    'smtp://user:hunter2@mail.example.com/?pool=true',
    'smtp://user:hunter 2@mail.example.com',
  ])('is refused in words that hold no password: %s', (url) => {
    const problems = problemsOf(url);

    expect(problems).toEqual([expect.stringMatching(/^SMTP_URL must be an smtp:/)]);
    expect(problems.join()).not.toContain('hunter');
  });

  it('comes with the address that mails are from', () => {
    expect(problemsOf('smtp://mail.example.com', '')).toEqual(['SMTP_FROM is required with SMTP_URL']);
    for (const from of [
      'nobody',
      'a@b, c@d',
      'a@b\nBcc: c@d',
      'A <a@b>, B <c@d>',
      'A\nBcc: c@d <a@b>',
      'A <a@b',
      '<a@b>',
    ]) {
      expect(problemsOf('smtp://mail.example.com', from).join()).toMatch(/^SMTP_FROM must be an e-mail/);
    }
  });

  it('comes with the name that mails are from, where one is given', () => {
    expect(settingsOf('smtp://mail.example.com', 'Acme Robots <a@b.example>').mail?.from).toEqual({
      name: 'Acme Robots',
      address: 'a@b.example',
    });
  });

  it('has a password that no line of the log may hold, in whatever form it is sent', () => {
    const { secrets, mail } = settingsOf('smtp://user:long%20password@mail.example.com');
    const base64 = (text: string): string => Buffer.from(text).toString('base64');

    expect(secrets).toEqual(
      expect.arrayContaining([
        'smtp://user:long%20password@mail.example.com',
        'long password',
        'long%20password',
        base64('long password'),
        base64('\0user\0long password'),
      ]),
    );
    expect(mail).toMatchObject({ from: { name: 'Lamppost', address: FROM }, isLocal: false });
    expect(settingsOf('smtp://127.0.0.1:25').mail).toMatchObject({ isLocal: true });
    expect(readSettings({}).mail).toBeUndefined();
  });
});
