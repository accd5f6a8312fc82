import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

import { withCommonHeaders } from './common-headers';

export interface Documents {
  /** The agent API: what callers use, at most 40 operations. */
  readonly agent: OpenAPIObject;
  /** The account and admin side. */
  readonly account: OpenAPIObject;
}

/** What each group of operations is for; a group that no route of a document is in is left out of it. */
const TAGS: Readonly<Record<string, string>> = {
  catalog: 'What there is, and what it costs.',
  generation: 'Images, videos and text, paid call by call.',
  jobs: 'How work goes on after its call was answered.',
  references: 'Images and videos of your own, to be used in later calls.',
  wallet: 'A prepaid balance for a wallet, funded on chain.',
  billing: 'Balances and receipts.',
  account: 'Sign-up, sign-in and credits.',
  keys: 'API keys and their limits.',
  admin: 'For the operators of the service.',
};

const ACCOUNT = /^\/v1\/(account|admin)/;

const builder = (publicUrl: string) =>
  Object.entries(TAGS)
    .reduce((document, [name, description]) => document.addTag(name, description), new DocumentBuilder())
    .setOpenAPIVersion('3.1.0')
    .setVersion('1.1.0')
    .setContact('Lamppost', 'https://github.com/lamppost/lamppost', 'hello@lamppost.example')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer(publicUrl);

const only = (document: OpenAPIObject, keep: (path: string) => boolean): OpenAPIObject => {
  const paths = Object.fromEntries(Object.entries(document.paths).filter(([path]) => keep(path)));
  const text = JSON.stringify(paths);
  // A schema is in when a path speaks of it, or a schema that is in does.
  const schemas = document.components?.schemas ?? {};
  const kept = new Set<string>();
  for (let grew = true, seen = text; grew;) {
    grew = false;
    for (const name of Object.keys(schemas)) {
      if (!kept.has(name) && seen.includes(`#/components/schemas/${name}"`)) {
        kept.add(name);
        seen += JSON.stringify(schemas[name]);
        grew = true;
      }
    }
  }
  const used = Object.fromEntries(Object.entries(schemas).filter(([name]) => kept.has(name)));
  const { openapi, info, servers, components } = document;
  const operations = Object.values(paths).flatMap(
    (item) => Object.values(item as object) as { tags?: string[] }[],
  );
  const named = new Set(operations.flatMap((operation) => operation.tags ?? []));
  const tags = (document.tags ?? []).filter(({ name }) => named.has(name));
  return { openapi, info, servers, tags, paths, components: { ...components, schemas: used } };
};

/** Builds both documents from the code, for the routes, the written files and the tests. */
export const buildDocuments = (app: INestApplication, publicUrl: string): Documents => {
  const agent = builder(publicUrl)
    .setTitle('Lamppost agent API')
    .setDescription(
      'Image, video and text generation, paid call by call: with x402 (no account), from a prepaid wallet, or with ' +
        'an API key. GET /v1/agent/models lists what there is, POST /v1/agent/quote says what a call costs.',
    )
    .addApiKey({ type: 'apiKey', in: 'header', name: 'x-api-key' }, 'apiKey')
    .addSecurity('bearerKey', {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'lp_ and 64 characters',
      description: 'The same key: `Bearer lp_…`.',
    })
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'Sign-In-With-X',
        description: 'A signed EIP-4361 message, base64.',
      },
      'walletSignIn',
    )
    .addApiKey(
      {
        type: 'apiKey',
        in: 'header',
        name: 'PAYMENT-SIGNATURE',
        description: 'An x402 payment, base64 JSON.',
      },
      'x402',
    )
    .build();
  const account = builder(publicUrl)
    .setTitle('Lamppost account API')
    .setDescription('Accounts, keys and billing, for the pages of this service and for its operators.')
    .addCookieAuth('lamppost_session', { type: 'apiKey', in: 'cookie', name: 'lamppost_session' }, 'session')
    .addSecurity('adminToken', { type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN.' })
    .build();
  const all = withCommonHeaders(SwaggerModule.createDocument(app, agent));
  return {
    agent: only(all, (path) => !ACCOUNT.test(path)),
    account: only(
      {
        ...all,
        info: account.info,
        components: { ...all.components, ...account.components, schemas: all.components?.schemas },
      },
      (path) => ACCOUNT.test(path),
    ),
  };
};
