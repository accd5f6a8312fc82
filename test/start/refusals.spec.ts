import { writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { type Server, createServer } from 'node:net';
import { join } from 'node:path';

import { freePort } from '../../tools/chain/free-port';
import { BuiltService, newFolder, removeFolders } from '../support/built-service';

interface Refusal {
  readonly exitCode: number | null;
  readonly stderr: string;
  readonly stdout: string;
}

const refusalOf = async (env: Readonly<Record<string, string>>): Promise<Refusal> => {
  const service = await BuiltService.launch(env);
  const exitCode = await service.ended();
  const { stderr, stdout } = service;
  return { exitCode, stderr, stdout };
};

const file = (text: string): string => {
  const path = join(newFolder(), 'file');
  writeFileSync(path, text);
  return path;
};

const SECRET = { SIGNING_SECRET: 'a-secret-for-tests-only-0123456789abcdef' };

describe('a start that can’t succeed', () => {
  let taken: Server;
  /** All starts run together, because one of them waits ten seconds for its database. */
  let refusals: Readonly<Record<string, Promise<Refusal>>>;

  beforeAll(async () => {
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    refusals = {
      port: refusalOf({ PORT: String(port) }),
      folder: refusalOf({ DATA_DIR: join(file('not a folder'), 'data') }),
      database: refusalOf({
        DATABASE_URL: `postgres://u:hunter2@127.0.0.1:${await freePort()}/x`,
        ...SECRET,
      }),
      settings: refusalOf({
        PORT: '99999',
        DATABASE_URL: 'mysql://hunter2',
        RATE_LIMIT_FREE: '-1',
        X402_PAY_TO: 'hunter2',
        BLOB_STORE: 'tape',
        PUBLIC_URL: 'nowhere',
      }),
      conflicts: refusalOf({ DATABASE_URL: 'postgres://127.0.0.1/x', FAL_KEY: 'hunter2', BLOB_STORE: 's3' }),
      catalog: refusalOf({ CATALOG_FILE: file('{"media": [], "text": [{"id": "x"}]}') }),
      missingCatalog: refusalOf({ CATALOG_FILE: '/nowhere/catalog.json' }),
    };
  }, 120_000);
  afterAll(() => {
    taken.close();
    removeFolders();
  });

  it.each<[string, string, RegExp]>([
    ['port', 'a port in use', /^Port \d+ is in use\. Stop what uses it, or set PORT to another one\.$/],
    ['folder', 'a folder that can’t be', /DATA_DIR/],
    [
      'database',
      'a database that doesn’t answer',
      /^The database at 127\.0\.0\.1:\d+\/x does not answer \(ECONNREFUSED\)/,
    ],
    [
      'catalog',
      'a catalog that is wrong',
      /^The catalog is wrong:\n {2}- line 1: text\[0\]\.routes is required\.\n {2}- line 1: text\[0\]\.name is required\.\n/,
    ],
    [
      'missingCatalog',
      'a catalog that isn’t there',
      /^The catalog is wrong:\n {2}- CATALOG_FILE can't be read as JSON: .*no such file/,
    ],
  ])('for %s says so in one message: %s', async (name, _what, message) => {
    const { exitCode, stderr, stdout } = await refusals[name]!;

    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^Lamppost could not start\.\n/);
    expect(stderr.replace('Lamppost could not start.\n', '').trim()).toMatch(message);
    expect(stderr).not.toMatch(/\n\s+at |hunter2/);
    expect(stdout).toBe('');
  });

  it('for settings names each of them, and no value, which may be a secret', async () => {
    const { exitCode, stderr } = await refusals['settings']!;

    expect(exitCode).toBe(1);
    const named = new Set([...stderr.matchAll(/^ {2}- (\w+)/gm)].map(([, name]) => name));
    expect(named).toEqual(
      new Set(['BLOB_STORE', 'DATABASE_URL', 'PORT', 'PUBLIC_URL', 'RATE_LIMIT_FREE', 'X402_PAY_TO']),
    );
    expect(stderr).not.toContain('hunter2');
  });

  it('for settings that don’t fit together says which', async () => {
    const { exitCode, stderr } = await refusals['conflicts']!;

    expect(exitCode).toBe(1);
    expect(stderr).toContain('SIGNING_SECRET is required with DATABASE_URL');
    expect(stderr).toContain('S3_BUCKET is required with BLOB_STORE=s3');
    expect(stderr).toContain(
      'FAL_KEY would spend real money while X402_FACILITATOR=sandbox and BILLING_PROCESSOR=sandbox take none',
    );
    expect(stderr).not.toContain('hunter2');
  });
});
