import { hostAndPathOf } from './database-url';

describe('the name of a database', () => {
  it.each([
    ['postgres://u:hunter2@host:5433/db?password=hunter2', 'host:5433/db'],
    ['postgres://u:hunter2@[::1]/db', '[::1]:5432/db'],
    ['postgres:///db?host=/var/run/postgresql', '/var/run/postgresql:5432/db'],
    ['postgres://other/db?host=host&port=6000', 'host:6000/db'],
    ['postgres://%2Fvar%2Frun%2Fpostgresql/db', '/var/run/postgresql:5432/db'],
    // Passwords that are not percent-encoded. The first one parses as a port and a path.
    ['postgres://u:12/hunter2@host/db', 'DATABASE_URL'],
    ['postgres://u:hunter#2@host/db', 'DATABASE_URL'],
  ])('of %s is %s', (url, name) => {
    expect(hostAndPathOf(url)).toBe(name);
  });
});
