// Mistakes of authorization servers, in the format of `bugs.mjs`. The specs of `test/oauth` detect them.

const SIGN_IN = 'test/oauth/sign-in.spec';
const GRANTS = 'test/oauth/grants.spec';
const CONSENT = 'test/oauth/consent.spec';
const DOCUMENTS = 'test/oauth/client-documents.spec';
const ACCESS = 'test/oauth/access.spec';
const PROVIDER = 'src/people/oauth/oauth-provider.ts';
const ROWS = 'src/people/oauth/oauth-row.repository.ts';
const SERVICE = 'src/people/oauth/consent.service.ts';

export const OAUTH_BUGS = [
  {
    name: 'oauth: a code needs no PKCE',
    file: PROVIDER,
    find: 'pkce: { required: () => true },',
    replace: 'pkce: { required: () => false },',
    tests: [SIGN_IN, 'refuses no challenge'],
  },
  {
    name: 'oauth: refresh tokens do not rotate',
    file: PROVIDER,
    find: 'rotateRefreshToken: true,',
    replace: 'rotateRefreshToken: false,',
    tests: [GRANTS, 'gives a new refresh token for the old one'],
  },
  {
    name: 'oauth: concurrent uses of a refresh token all count as the first',
    file: ROWS,
    find: 'and consumed_at is null',
    replace: '',
    tests: [GRANTS, 'does not survive two uses of a refresh token at once'],
  },
  {
    name: 'oauth: a reuse ends the tokens and leaves the key',
    file: 'src/people/oauth/oauth-adapter.ts',
    find: "if (grant !== undefined) await keys.end(String(grant['accountId']));",
    replace: 'void grant;',
    tests: [GRANTS, 'gives a new refresh token for the old one'],
  },
  {
    name: 'oauth: a token may be for any resource',
    file: PROVIDER,
    find: 'if (resource !== addresses.resource)',
    replace: "if (resource === '')",
    tests: [SIGN_IN, 'refuses another resource'],
  },
  {
    name: 'oauth: the limit is twenty times what the person allowed',
    file: SERVICE,
    find: 'limitMicro: microToJson(limit),',
    replace: 'limitMicro: microToJson(limit) * 20,',
    tests: [GRANTS, 'is a key with the name of the app, a limit and an end'],
  },
  {
    name: 'oauth: the page of consent accepts any form',
    file: SERVICE,
    find: "if (!this.signing.isMac(TOKENS, this.subjectOf(uid, request), Buffer.from(token, 'base64url')))",
    replace: "if (token === 'never' && uid === '' && request.id === '')",
    tests: [CONSENT, 'accepts no form with'],
  },
  {
    name: 'oauth: the token of a form is good for every sign-in',
    file: SERVICE,
    find: "return `${uid} ${this.sessions.hashesOf(request)[0]?.toString('hex') ?? ''}`;",
    replace: "return `${uid.length} ${this.sessions.hashesOf(request)[0]?.toString('hex') ?? ''}`;",
    tests: [CONSENT, 'accepts no form that belongs to another sign-in'],
  },
  {
    name: 'oauth: tokens are stored in clear',
    file: ROWS,
    find: 'JSON.stringify(payload)',
    replace: 'JSON.stringify({ ...payload, value: _ })',
    tests: [GRANTS, 'is stored without any secret'],
  },
  {
    name: 'oauth: the document of a client is fetched from private addresses',
    file: 'src/people/oauth/client-documents.ts',
    find: 'this.guard.ask(this.guard.targetOf(address), {',
    replace: "this.guard.ask({ url: new URL(address), host: '127.0.0.1', isAllowed: true }, {",
    tests: [DOCUMENTS, 'is not fetched from'],
  },
  {
    name: 'oauth: the key of an app gets all scopes',
    file: SERVICE,
    find: 'scopes: { routes: routesOf(scope) },',
    replace: "scopes: { routes: routesOf(scope.replace('read', 'generate read keys')) },",
    tests: [GRANTS, 'shows and runs only the tools of its scopes'],
  },
  {
    name: 'oauth: a token of a deleted key still works',
    file: 'src/people/oauth/app-keys.ts',
    find: 'if (error instanceof AppError) return false;',
    replace: 'if (error instanceof AppError) return true;',
    tests: [GRANTS, 'is refused while its key is switched off'],
  },
  {
    name: 'oauth: an app may return to a site without encryption',
    file: 'src/people/oauth/client-documents.ts',
    find: "application_type: 'native',",
    replace: "application_type: 'web',",
    tests: [SIGN_IN, 'does not register to return to'],
  },
  {
    name: 'oauth: a caller with a wrong token is let in',
    file: 'src/faces/mcp/mcp-access.ts',
    find: 'if (rail === undefined) throw this.missing();',
    replace: 'if (rail === undefined) return;',
    tests: [ACCESS, 'sends a caller with a wrong token to the sign-in'],
  },
];
