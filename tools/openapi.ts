import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import 'reflect-metadata';
import type { OpenAPIObject } from '@nestjs/swagger';

import { createApp } from '../src/create-app';
import { PublishedDocuments } from '../src/discovery/published-documents';
import { readSettings } from '../src/platform/config/settings';
import { startEmbeddedPostgres } from '../src/platform/database/embedded-postgres';

const FOLDER = join(__dirname, '..', 'docs', 'openapi');
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const sorted = <T>(
  record: Readonly<Record<string, T>>,
  order: (a: string, b: string) => number,
): Record<string, T> => Object.fromEntries(Object.entries(record).sort(([a], [b]) => order(a, b)));

const byName = (a: string, b: string): number => (a < b ? -1 : 1);
const byMethod = (a: string, b: string): number => METHODS.indexOf(a) - METHODS.indexOf(b);

/** In an order that doesn't depend on which module is registered first, so that a difference is a change. */
const asText = (json: string): string => {
  const document = JSON.parse(json) as OpenAPIObject;
  const paths = Object.fromEntries(
    Object.entries(sorted(document.paths, byName)).map(([path, item]) => [
      path,
      sorted(item as object as Record<string, unknown>, byMethod),
    ]),
  );
  const components = { ...document.components, schemas: sorted(document.components?.schemas ?? {}, byName) };
  return `${JSON.stringify({ ...document, paths, components }, null, 2)}\n`;
};

/** The documents as the service would publish them at its default address, with every route that can be switched on. */
const build = async (databaseUrl: string): Promise<Readonly<Record<string, string>>> => {
  const settings = readSettings({
    NODE_ENV: 'test',
    ROLE: 'api', // No worker is started here, so none can be stopped.
    LOG_LEVEL: 'error',
    DATABASE_URL: databaseUrl,
    SIGNING_SECRET: 'for-the-documents-only-0123456789abcdef',
    ADMIN_TOKEN: 'for-the-documents-only',
  });
  const app = await createApp(settings);
  const { agent, account } = app.get(PublishedDocuments);
  await app.close();
  return { 'agent.json': asText(agent), 'account.json': asText(account) };
};

const written = (name: string): string => {
  try {
    return readFileSync(join(FOLDER, name), 'utf8');
  } catch {
    return '';
  }
};

/** Writes the documents, or with `--check` only says whether those that stand there are what the code says. */
const main = async (): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-openapi-'));
  const server = await startEmbeddedPostgres({ dataDir: folder, settings: { fsync: 'off' } });
  try {
    const documents = await build(server.url);
    if (process.argv.includes('--check')) {
      const stale = Object.keys(documents).filter((name) => documents[name] !== written(name));
      console.log(
        stale.length === 0
          ? 'docs/openapi says what the code says.'
          : `docs/openapi/${stale.join(' and ')} differ from the code; run npm run openapi.`,
      );
      process.exitCode = stale.length === 0 ? 0 : 1;
      return;
    }
    mkdirSync(FOLDER, { recursive: true });
    for (const [name, text] of Object.entries(documents)) writeFileSync(join(FOLDER, name), text);
    console.log(`Wrote ${Object.keys(documents).join(' and ')} to docs/openapi.`);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
