import { ADMIN_SCOPES, parseAdmins } from './admins';

const TOKEN = '0123456789abcdef';

describe('operators in the settings', () => {
  it('are names with their rights, whatever is in their tokens', () => {
    expect(parseAdmins([`ann:read+money:${TOKEN}`, `root:all:${TOKEN}:=/x`])).toEqual([
      { name: 'ann', scopes: ['read', 'money'], token: TOKEN },
      { name: 'root', scopes: ADMIN_SCOPES, token: `${TOKEN}:=/x` },
    ]);
    expect(parseAdmins([])).toEqual([]);
  });

  it.each([
    ['a short token', ['ann:read:0123456789abcde']],
    ['no token', ['ann:read']],
    ['an unknown scope', [`ann:read+drink:${TOKEN}`]],
    ['no scope', [`ann::${TOKEN}`]],
    ['all beside others', [`ann:all+read:${TOKEN}`]],
    ['no name', [`:read:${TOKEN}`]],
    ['one name twice', [`ann:read:${TOKEN}`, `ann:read:${TOKEN}x`]],
    ['one token twice', [`ann:read:${TOKEN}`, `bob:all:${TOKEN}`]],
  ])('are refused with %s', (_, entries) => {
    expect(parseAdmins(entries)).toBeUndefined();
  });
});
