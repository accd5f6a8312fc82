import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import 'reflect-metadata';
import type { OpenAPIObject } from '@nestjs/swagger';
import openapiTypes, { type OpenAPI3, type OperationObject } from 'openapi-typescript';
import ts from 'typescript';

import { createApp } from '../src/create-app';
import { errorSections } from '#faces/discovery/error-pages';
import { PublishedDocuments } from '#faces/discovery/published-documents';
import { readSettings } from '../src/settings';
import { onThrowawayDatabase } from './throwaway-database';

const ROOT = join(__dirname, '..');
const AGENT = 'docs/openapi/agent.json';
const ACCOUNT = 'docs/openapi/account.json';
const CRAWLERS = 'docs/openapi/crawlers.json';
const PAGE_TYPES = 'clients/console/parts/api.types.ts';
const CLIENT_TYPES = 'clients/typescript/src/api.types.ts';
const ERROR_CODES = 'docs/error-codes.md';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const sorted = <T>(
  record: Readonly<Record<string, T>>,
  order: (a: string, b: string) => number,
): Record<string, T> => Object.fromEntries(Object.entries(record).sort(([a], [b]) => order(a, b)));

const byName = (a: string, b: string): number => (a < b ? -1 : 1);
const byMethod = (a: string, b: string): number => METHODS.indexOf(a) - METHODS.indexOf(b);

/**
 * The document as sorted text. Its order does not depend on the order of the modules, so each difference is a real
 * change.
 */
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

/** The documents that the service would publish at its default address, with every route that can be enabled. */
const build = async (databaseUrl: string): Promise<Readonly<Record<string, string>>> => {
  const settings = readSettings({
    NODE_ENV: 'test',
    ROLE: 'api', // This process starts no workers, so the role has none to stop.
    LOG_LEVEL: 'error',
    DATABASE_URL: databaseUrl,
    SIGNING_SECRET: 'for-the-documents-only-0123456789abcdef',
    ADMIN_TOKEN: 'for-the-documents-only',
  });
  const app = await createApp(settings);
  await app.init(); // The rights of roles are known once the routes are registered.
  const { agent, crawlers, account } = app.get(PublishedDocuments);
  await app.close();
  const documents = { [AGENT]: asText(agent), [ACCOUNT]: asText(account) };
  const both = Object.values(documents).map((text) => JSON.parse(text) as OpenAPI3);
  return {
    ...documents,
    [CRAWLERS]: asText(crawlers),
    [ERROR_CODES]: errorCodes(),
    [PAGE_TYPES]: await typesOf(both, pathsOf(both)),
    [CLIENT_TYPES]: await typesOf(both.map(forClient)),
  };
};

/** The codes for a reader of the repository. A service shows the same ones at `/guides/errors`. */
const errorCodes = (): string =>
  `# Error codes\n\n\`npm run openapi\` writes this page from the code. [Errors one by one](guides/errors.md) shows how an error looks.\n\n${errorSections()}`;

/** The document with only the schemas that the client uses, and the schemas within them. */
const forClient = (document: OpenAPI3): OpenAPI3 => {
  const schemas = document.components?.schemas ?? {};
  const used: Record<string, (typeof schemas)[string]> = {};
  const use = (name: string): void => {
    const schema = schemas[name];
    if (schema === undefined || name in used) return;
    used[name] = schema;
    for (const [, part] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) use(part!);
  };
  const folder = join(ROOT, dirname(CLIENT_TYPES));
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  ))
    for (const [, name] of readFileSync(join(folder, file), 'utf8').matchAll(/Schemas\['(\w+)'\]/g))
      use(name!);
  return { ...document, components: { schemas: used } };
};

/** The parts of an operation that the pages need: its input, and its successful answer. */
const essence = ({ operationId, parameters, requestBody, responses }: OperationObject): object => ({
  operationId,
  parameters: parameters?.filter((parameter) => 'in' in parameter && parameter.in !== 'header'),
  requestBody,
  responses: Object.fromEntries(
    Object.entries(responses ?? {})
      .filter(([status]) => status.startsWith('2'))
      .map(([status, response]) => [status, { ...(response as object), headers: undefined }]),
  ),
});

/** The operations of both documents, without the parts that the pages do not use. */
const pathsOf = (both: readonly OpenAPI3[]): object =>
  Object.fromEntries(
    both.flatMap((document) =>
      Object.entries(document.paths ?? {}).map(([path, item]) => [
        path,
        Object.fromEntries(
          Object.entries(item)
            .filter(([method]) => METHODS.includes(method))
            .map(([method, operation]) => [method, essence(operation as OperationObject)]),
        ),
      ]),
    ),
  );

/** Writes both documents as types for the pages. The client needs no paths, because it names its routes itself. */
const typesOf = async (both: readonly OpenAPI3[], paths: object = {}): Promise<string> => {
  const schemas = Object.assign({}, ...both.map(({ components }) => components?.schemas)) as NonNullable<
    NonNullable<OpenAPI3['components']>['schemas']
  >;
  const document = { openapi: '3.1.0', info: both[0]!.info, paths, components: { schemas } } as OpenAPI3;
  const types = await openapiTypes(document);
  return `// Written by npm run openapi from the documents in docs/openapi.\n\n${textOf(types)}`;
};

/** Like the library's `astToString`. Not every compiler accepts the type declaration of that function. */
const textOf = (nodes: readonly ts.Node[]): string => {
  const file = ts.createSourceFile('api.types.ts', '', ts.ScriptTarget.ESNext, false, ts.ScriptKind.TS);
  return ts
    .createPrinter({ newLine: ts.NewLineKind.LineFeed })
    .printList(ts.ListFormat.MultiLine, ts.factory.createNodeArray(nodes), file);
};

const written = (name: string): string => {
  try {
    return readFileSync(join(ROOT, name), 'utf8');
  } catch {
    return '';
  }
};

/** Writes the documents. With `--check` it only compares the existing ones with the code. */
const main = (): Promise<void> =>
  onThrowawayDatabase(async (_source, _applied, url) => {
    const documents = await build(url);
    if (process.argv.includes('--check')) {
      const stale = Object.keys(documents).filter((name) => documents[name] !== written(name));
      console.log(
        stale.length === 0
          ? 'The documents say what the code says.'
          : `${stale.join(' and ')} differ from the code; run npm run openapi.`,
      );
      process.exitCode = stale.length === 0 ? 0 : 1;
      return;
    }
    for (const [name, text] of Object.entries(documents)) {
      mkdirSync(dirname(join(ROOT, name)), { recursive: true });
      writeFileSync(join(ROOT, name), text);
    }
    console.log(`Wrote ${Object.keys(documents).join(', ')}.`);
  });

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
