import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

export interface Documents {
  /** The agent API: what callers use, at most 40 operations. */
  readonly agent: OpenAPIObject;
  /** The account and admin side. */
  readonly account: OpenAPIObject;
}

const ACCOUNT = /^\/v1\/(account|admin)/;

const builder = (publicUrl: string) =>
  new DocumentBuilder()
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
  const tags = (document.tags ?? []).filter((tag) => text.includes(JSON.stringify(tag.name)));
  return { ...document, paths, tags, components: { ...document.components, schemas: used } };
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
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', description: 'The same key: `Bearer lp_…`.' },
      'bearerKey',
    )
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
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN.' }, 'adminToken')
    .build();
  const all = SwaggerModule.createDocument(app, agent);
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
