import type { INestApplication } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

import { ErrorAnswer } from '#money/billing/calls/error-answer.dto';
import { audienceOf, withoutAudience } from '#platform/openapi/audience';
import type { SecurityScheme } from '#platform/openapi/docs';
import { withCommonAnswers } from './common-answers';
import { selectionFor, selectionOf } from './crawler-selection';

/** The version of the API's description, for callers that depend on it. */
export const API_VERSION = '1.1.0';

export interface Documents {
  /** The agent API: every route for callers. */
  readonly agent: OpenAPIObject;
  /** The selection of it for crawlers, which accept only some operations. */
  readonly crawlers: OpenAPIObject;
  /** The account and admin side. */
  readonly account: OpenAPIObject;
  /** Routes of other modules: all routes without one of the service's own tags. */
  readonly extensions: OpenAPIObject;
}

/** The purpose of each group of operations. A document contains only the groups of its own routes. */
const TAGS: Readonly<Record<string, string>> = {
  catalog: 'Models and prices.',
  generation: 'Images, videos, audio and text, paid call by call.',
  jobs: 'Running work, after the answer to its call.',
  events: 'Events about your objects, as a list or as a stream.',
  references: 'Images and videos of your own, to be used in later calls.',
  webhooks: 'Signed messages about events, sent to your address.',
  wallet: 'A prepaid balance for a wallet, funded on chain.',
  billing: 'Balances and receipts.',
  account: 'Sign-up, sign-in and credits.',
  keys: 'API keys and their limits.',
  organisations: 'Several people with one bill: members, invites, and an audit.',
  admin: 'For the operators of the service.',
};

/** The first steps of an agent. Crawlers show them to models, and accept at most 4000 characters. */
const guidance = (publicUrl: string): string =>
  [
    'No call needs an account. GET /v1/agent/models lists the models; each call has a default model.',
    'POST /v1/agent/quote returns the exact price of a call, free, and locks it: send its quoteId with the call.',
    'Send a paid call without a credential: PAYMENT-REQUIRED of the 402 has the requirements (x402, USDC). Send the very',
    'same call with PAYMENT-SIGNATURE. Stock clients refuse to pay more than $1; raise their cap for videos and top-ups.',
    'For frequent calls, top a wallet up once (POST /v1/agent/x402/top-up) and sign in with Sign-In-With-X, or send a',
    'key as x-api-key.',
    'maxPriceMicro refuses a call above that price, dryRun checks and charges nothing, and with an Idempotency-Key a',
    'repeated call is charged once.',
    'Calls for images wait for the result. Calls for videos answer running, with a job to poll at GET',
    '/v1/agent/jobs/{id}.',
    'Calls that fail are not charged. After a 503 or a lost connection send the very same request, never a new payment.',
    'A 400 names the field and the allowed values. If one change is enough, fix has the corrected body.',
    `The whole API in one page, with code: ${publicUrl}/v1/agent/guide.md. As tools: ${publicUrl}/mcp.`,
  ].join(' ');

const builder = (publicUrl: string) =>
  Object.entries(TAGS)
    .reduce((document, [name, description]) => document.addTag(name, description), new DocumentBuilder())
    .setOpenAPIVersion('3.1.0')
    .setVersion(API_VERSION)
    .setContact('Lamppost', 'https://github.com/lamppost/lamppost', 'hello@lamppost.example')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(publicUrl);

/** Whether no operation of a path has one of our own tags, so that it belongs to another module. */
const isExtension = (document: OpenAPIObject, path: string): boolean =>
  operationsOf(document.paths[path]).every(({ tags = [] }) => tags.every((tag) => !(tag in TAGS)));

/** The names of `kind` that a document's text refers to. */
const namedIn = (text: string, kind: 'schemas' | 'headers'): Set<string> =>
  new Set(Array.from(text.matchAll(new RegExp(`#/components/${kind}/([^"]+)"`, 'g')), ([, name]) => name!));

const onlyNamed = (parts: object | undefined, names: ReadonlySet<string>) =>
  Object.fromEntries(Object.entries(parts ?? {}).filter(([name]) => names.has(name)));

const operationsOf = (item: object | undefined): { tags?: readonly string[] }[] =>
  Object.values(item ?? {}) as { tags?: readonly string[] }[];

/**
 * Nest adds the name of a controller whose class has no tag, before the tags of the method. An operation with one of our
 * own tags does not need it, so a controller may tag its methods alone.
 */
const withoutControllerNames = (document: OpenAPIObject, app: INestApplication): OpenAPIObject => {
  const modules = [...app.get(ModulesContainer).values()];
  const controllers = modules.flatMap((module) => [...module.controllers.values()]);
  const added = new Set(controllers.map(({ name }) => (name as string).replace(/Controller$/, '')));
  for (const operation of Object.values(document.paths).flatMap(operationsOf)) {
    const [first = '', ...others] = operation.tags ?? [];
    if (added.has(first) && others.some((tag) => tag in TAGS)) operation.tags = others;
  }
  return document;
};

/** The operations that `keep` chooses, with the schemas that they use. */
const only = (document: OpenAPIObject, keep: (operation: object, path: string) => boolean): OpenAPIObject => {
  const paths: OpenAPIObject['paths'] = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const kept = Object.entries(item as object).filter(([, operation]) => keep(operation as object, path));
    if (kept.length === 0) continue;
    paths[path] = Object.fromEntries(
      kept.map(([method, operation]) => [method, withoutAudience(operation as object)]),
    );
  }
  const text = JSON.stringify(paths);
  // A path or an included schema may refer to a schema, so this set grows during the iteration.
  const schemas = document.components?.schemas ?? {};
  const kept = namedIn(text, 'schemas');
  for (const name of kept)
    namedIn(JSON.stringify(schemas[name]), 'schemas').forEach((also) => kept.add(also));
  const used = onlyNamed(schemas, kept);
  const headers = onlyNamed(document.components?.headers, namedIn(text, 'headers'));
  const { openapi, info, servers, components } = document;
  const operations = Object.values(paths).flatMap(operationsOf);
  const named = new Set(operations.flatMap((operation) => operation.tags ?? []));
  // A module may have a tag of its own, which nobody has described.
  const described = (document.tags ?? []).filter(({ name }) => named.delete(name));
  const tags = [...described, ...[...named].map((name) => ({ name }))];
  return { openapi, info, servers, tags, paths, components: { ...components, schemas: used, headers } };
};

interface PaymentInfo {
  price: { readonly range?: string; readonly [name: string]: unknown };
}

/** Writes the least and the highest prices, which are settings, into the routes that refer to them. */
const withPrices = (document: OpenAPIObject, ranges: PriceRanges): OpenAPIObject => {
  for (const item of Object.values(document.paths)) {
    for (const operation of Object.values(item as object) as { 'x-payment-info'?: PaymentInfo }[]) {
      const info = operation['x-payment-info'];
      if (info?.price.range === undefined) continue;
      const { range, ...price } = info.price;
      // The object belongs to the decorator and serves every document, so this code changes a copy.
      operation['x-payment-info'] = { ...info, price: { ...price, ...ranges[range] } };
    }
  }
  return document;
};

/** The published prices by their names: the least and the most, in USD. */
type PriceRanges = Readonly<Record<string, { readonly min: string; readonly max: string }>>;

/** The parts of the documents that do not come from the routes. */
interface Described {
  readonly publicUrl: string;
  readonly prices: PriceRanges;
  /** The credentials of the agent API, by their names. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** The webhook messages to callers, by name. */
  readonly webhooks: Readonly<Record<string, object>>;
}

/** Builds the documents from the code: for the routes, for the generated files and for the tests. */
export const buildDocuments = (
  app: INestApplication,
  { publicUrl, prices, schemes, webhooks }: Described,
): Documents => {
  const agent = Object.entries(schemes)
    .reduce((document, [name, scheme]) => document.addSecurity(name, scheme), builder(publicUrl))
    .setTitle('Lamppost agent API')
    .setDescription(
      'Image, video, audio and text generation, paid call by call: with x402 (no account), from a prepaid wallet, or with ' +
        'an API key. GET /v1/agent/models lists the models, and POST /v1/agent/quote returns the price of a call.',
    )
    .addExtension('x-guidance', guidance(publicUrl), 'info')
    .build();
  const account = builder(publicUrl)
    .setTitle('Lamppost account API')
    .setDescription('Accounts, keys and billing, for the pages of this service and for its operators.')
    .addCookieAuth('lamppost_session', { type: 'apiKey', in: 'cookie', name: 'lamppost_session' }, 'session')
    .addSecurity('adminToken', {
      type: 'http',
      scheme: 'bearer',
      description: "An operator's token: ADMIN_TOKEN or one of ADMIN_TOKENS.",
    })
    .build();
  const extensions = builder(publicUrl)
    .setTitle('Lamppost extensions')
    .setDescription('What this installation offers beside the API of Lamppost, with the same credentials.')
    .build();
  const all = withPrices(
    withCommonAnswers(
      withoutControllerNames(SwaggerModule.createDocument(app, agent, { extraModels: [ErrorAnswer] }), app),
    ),
    prices,
  );
  const everyCredential = {
    ...all.components,
    securitySchemes: { ...all.components?.securitySchemes, ...account.components?.securitySchemes },
  };
  const everything = { ...all, components: everyCredential };
  const isOurs = (path: string): boolean => !isExtension(all, path);
  const forCallers = (document: OpenAPIObject): OpenAPIObject => ({
    ...document,
    ['webhooks' as string]: webhooks,
    ['x-agentcash-guidance' as string]: { llmsTxtUrl: `${publicUrl}/llms.txt` },
  });
  return {
    agent: forCallers(only(all, (operation, path) => isOurs(path) && audienceOf(operation) !== 'account')),
    crawlers: forCallers(
      only(
        { ...all, info: { ...all.info, description: `${all.info.description} ${selectionOf(publicUrl)}` } },
        selectionFor(all, isOurs),
      ),
    ),
    account: only(
      { ...everything, info: account.info },
      (operation, path) => isOurs(path) && audienceOf(operation) === 'account',
    ),
    extensions: only({ ...everything, info: extensions.info }, (_, path) => !isOurs(path)),
  };
};
