import { join } from 'node:path';

import { hasEmbeddedDatabase } from '#platform/database/data-directory';
import { ONE_FILE } from '../support/build';
import { newFolder, removeFolders } from '../support/built-service';
import { runCommand } from '../support/code-blocks';
import { cloneDatabase } from '../support/postgres';

const migrate = (folder: string, databaseUrl = '', ...words: readonly string[]) =>
  runCommand(process.execPath, [ONE_FILE, 'migrate', ...words], folder, {
    DATABASE_URL: databaseUrl,
    REDIS_URL: '',
    DATA_DIR: '',
  });

afterAll(removeFolders);

describe('the command migrate', () => {
  it('names the embedded database, and warns if it makes a new one', async () => {
    const folder = newFolder();
    const which = `the embedded database below ${join(folder, '.data')}`;

    const [first, second] = [await migrate(folder), await migrate(folder)];

    expect(first.errors).toContain(`There is no database below ${join(folder, '.data')}`);
    expect(first.output).toMatch(/^Applied to the embedded database below /);
    expect([second.output, second.errors]).toEqual([`The schema of ${which} is up to date.\n`, '']);
  });

  it('names the host and the name of another database, without its password', async () => {
    const url = new URL(await cloneDatabase());
    url.password ||= 'hunter2';

    const { output, errors } = await migrate(newFolder(), url.href);

    expect([output, errors]).toEqual([
      `The schema of the database ${url.host}${url.pathname} is up to date.\n`,
      '',
    ]);
  });

  it.each([
    ['--dry-run', 2, /^The command migrate has no options, so it does not know "--dry-run"/],
    ['--help', 0, /^Usage: node \S*service\.js migrate/],
  ])('changes nothing with %s', async (word, exitCode, text) => {
    const folder = newFolder();

    const answer = await migrate(folder, '', word);

    expect([answer.exitCode, answer.errors + answer.output]).toEqual([exitCode, expect.stringMatching(text)]);
    expect(hasEmbeddedDatabase(join(folder, '.data'))).toBe(false);
  });
});
