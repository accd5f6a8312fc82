import { generateKeyPairSync } from 'node:crypto';

import type Provider from 'oidc-provider' with { 'resolution-mode': 'import' };
import type { Configuration, errors } from 'oidc-provider' with { 'resolution-mode': 'import' };

import type { AppKeys } from './app-keys';
import type { ClientDocuments } from './client-documents';
import { adapterOf } from './oauth-adapter';
import type { OauthAddresses } from './oauth-addresses';
import { TEXT_OF_LIBRARY_ERROR } from './oauth.errors';
import {
  ACCESS_SECONDS,
  CODE_SECONDS,
  GRANT_SECONDS,
  REFRESH_SECONDS,
  SIGN_IN_SECONDS,
} from './oauth-lifetimes';
import type { OauthRowRepository } from './oauth-row.repository';
import { SCOPES } from './scopes';

export const SESSION_COOKIE = 'oauth_session';

type Policy = NonNullable<NonNullable<Configuration['interactions']>['policy']>;
type Errors = typeof errors;
interface PromptClasses {
  readonly Prompt: new (facts: { name: string; requestable: boolean }, ...checks: object[]) => Policy[number];
  readonly Check: new (reason: string, description: string, check: (context: never) => boolean) => object;
}

/**
 * The library, which only processes load that need it. Its index would write a warning about the version of Node to the
 * error stream, so its parts are loaded.
 */
const library = () => ({
  ...(module.require('oidc-provider/lib/provider.js') as { readonly Provider: typeof Provider }),
  errors: module.require('oidc-provider/lib/helpers/errors.js') as Errors,
  ...(module.require('oidc-provider/lib/helpers/interaction_policy/index.js') as PromptClasses),
});

export interface ProviderParts {
  readonly addresses: OauthAddresses;
  readonly rows: OauthRowRepository;
  readonly keys: AppKeys;
  readonly documents: ClientDocuments;
  /** Sign the cookies of a sign-in. */
  readonly cookieKeys: readonly string[];
  readonly errorPage: (title: string, message: string) => { readonly html: string; readonly headers: object };
}

/** The authorization server of OAuth 2.1. It knows a person only by the key that the person makes for the app. */
export const makeProvider = (parts: ProviderParts): Provider => {
  const { addresses, rows, keys, documents } = parts;
  const { Provider: Made, errors: known, Prompt, Check } = library();
  const refusal = (): Error => new known.InvalidGrant('it was used before, so the grant has ended');
  // Every sign-in asks the person. An earlier consent counts for nothing.
  const consent = new Check(
    'asked',
    'the person must agree',
    ({ oidc }: { readonly oidc: { readonly result?: { readonly consent?: object } } }) =>
      oidc.result?.consent === undefined,
  );
  const { pathname } = new URL(addresses.issuer);
  const base = pathname === '/' ? '' : pathname;
  const configuration: Configuration = {
    adapter: (kind: string) => adapterOf(kind, rows, keys, refusal),
    // The library demands a key for the tokens of OpenID Connect, which this service never issues.
    jwks: { keys: [generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }) as never] },
    scopes: [],
    clientAuthMethods: ['none'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'EdDSA',
      token_endpoint_auth_method: 'none',
    },
    clientBasedCORS: () => false,
    responseTypes: ['code'],
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: () => true },
    cookies: {
      keys: [...parts.cookieKeys],
      names: { session: SESSION_COOKIE, interaction: 'oauth_interaction', resume: 'oauth_resume' },
      long: { signed: true, httpOnly: true, sameSite: 'lax', path: `${base}/oauth` },
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      registration: '/oauth/register',
      revocation: '/oauth/revoke',
    },
    interactions: {
      policy: [new Prompt({ name: 'consent', requestable: true }, consent)] as unknown as Policy,
      url: (_context, { uid }) => addresses.of(`consent/${uid}`),
    },
    // The account of a token is the key that it stands for. If the key has ended, so has the token.
    findAccount: async (_context, id) =>
      (await keys.isAlive(id)) ? { accountId: id, claims: () => ({ sub: id }) } : undefined,
    expiresWithSession: () => false,
    issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    ttl: {
      AccessToken: ACCESS_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      Grant: GRANT_SECONDS,
      Interaction: SIGN_IN_SECONDS,
      RefreshToken: REFRESH_SECONDS,
      Session: SIGN_IN_SECONDS,
    },
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      userinfo: { enabled: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_context, client, token) => token.clientId === client.clientId,
      },
      registration: { enabled: true, issueRegistrationAccessToken: false },
      clientIdMetadataDocument: {
        enabled: true,
        ack: 'draft-02',
        // Our page of consent also finds apps, without a call to the library.
        allowFetch: (context?: { readonly ip: string }) =>
          context === undefined || documents.mayFetch(context.ip),
      } as never,
      resourceIndicators: {
        enabled: true,
        defaultResource: () => addresses.resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context, resource) => {
          if (resource !== addresses.resource)
            throw new known.InvalidTarget(`the only resource is ${addresses.resource}`);
          return {
            scope: Object.keys(SCOPES).join(' '),
            audience: resource,
            accessTokenTTL: ACCESS_SECONDS,
            accessTokenFormat: 'opaque',
          };
        },
      },
    },
    // The library passes the address of a document as a text.
    fetch: (address) => documents.fetch(address as string),
    renderError: (context, { error, error_description: why }) => {
      const page = parts.errorPage(
        'This app could not connect',
        TEXT_OF_LIBRARY_ERROR[why ?? ''] ?? `${why ?? error}.`,
      );
      context.set(page.headers as Record<string, string>);
      context.body = page.html;
    },
  };
  const provider = new Made(addresses.issuer, configuration);
  // The bridge sets the headers of a proxy to our own address, which callers can't change.
  provider.proxy = true;
  provider.silent = true;
  provider.use((context, next) => {
    Object.assign(context, { mountPath: base });
    return next();
  });
  return provider;
};
