import { expectEnvelope } from '../support/envelope';
import { KeyCaller, WalletCaller } from '../support/caller';
import { World } from '../support/world';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };
const ACCEPT = { accept: 'application/json, text/event-stream' };

describe('the access to the tools', () => {
  let world: World;
  let base: string;

  beforeAll(async () => {
    world = await World.start();
    base = world.settings.http.publicUrl;
  });
  afterAll(() => world.stop());

  const send = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    world.post(path, PING, { ...ACCEPT, ...headers });

  it.each([
    ['no credential', {}, 'MISSING_CREDENTIALS'],
    ['a wrong token', { authorization: `Bearer ${'a'.repeat(43)}` }, 'MISSING_CREDENTIALS'],
    ['a wrong key', { authorization: `Bearer lp_${'a'.repeat(64)}` }, 'KEY_NOT_FOUND'],
    ['no key at all', { 'x-api-key': 'hello' }, 'KEY_NOT_FOUND'],
    ['a payment', { 'payment-signature': 'e30=' }, 'MISSING_CREDENTIALS'],
  ])('sends a caller with %s to the sign-in', async (_what, headers, code) => {
    const answer = await send('/mcp', headers);

    expectEnvelope(answer, { status: 401, code, type: 'authentication_error' });
    expect(answer.headers['www-authenticate']).toBe(
      `Bearer resource_metadata="${base}/.well-known/oauth-protected-resource/mcp"`,
    );
    if (code === 'MISSING_CREDENTIALS')
      expect(answer.body.error.message).toContain(`${base}/mcp?payment=x402`);
  });

  it('refuses a key that was switched off, and one that was deleted', async () => {
    const { key, keyId, cookie } = await KeyCaller.register(world, 0n);
    const origin = new URL(base).origin;
    const change = (method: 'PATCH' | 'DELETE', body?: object) =>
      world.send({
        method,
        url: `/v1/account/keys/${keyId}`,
        headers: { cookie, origin, 'content-type': 'application/json' },
        payload: body && JSON.stringify(body),
      });
    const asKey = { 'x-api-key': key };
    expect((await send('/mcp', asKey)).status).toBe(200);

    await change('PATCH', { enabled: false });
    expectEnvelope(await send('/mcp', asKey), {
      status: 401,
      code: 'KEY_DISABLED',
      type: 'authentication_error',
    });
    await change('DELETE');
    expectEnvelope(await send('/mcp', asKey), {
      status: 401,
      code: 'KEY_NOT_FOUND',
      type: 'authentication_error',
    });
  });

  it('has another address for wallets, and keys work at both', async () => {
    const { key } = await KeyCaller.register(world, 0n);
    const signIn = { 'Sign-In-With-X': await new WalletCaller().signIn(world) };

    const statuses = await Promise.all([
      send('/mcp?payment=x402'),
      send('/mcp?payment=x402', { 'x-api-key': key }),
      send('/mcp?payment=x402', { authorization: 'Bearer of-some-stock-client' }),
      send('/mcp', { 'x-api-key': key }),
      send('/mcp', { authorization: `Bearer ${key}` }),
      send('/mcp', signIn),
    ]);

    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect((await send('/mcp?payment=other')).status).toBe(401);
  });

  it.each(['', '/mcp'])('says who issues its tokens at oauth-protected-resource%s', async (suffix) => {
    const { status, body, headers } = await world.get(`/.well-known/oauth-protected-resource${suffix}`);

    expect([status, headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(body).toMatchObject({
      resource: `${base}/mcp`,
      authorization_servers: [base],
      scopes_supported: ['generate', 'references', 'read'],
    });
  });

  it('says how to sign in, and claims nothing of OpenID Connect', async () => {
    const { body } = await world.get('/.well-known/oauth-authorization-server');

    expect(body).toMatchObject({
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      registration_endpoint: `${base}/oauth/register`,
      revocation_endpoint: `${base}/oauth/revoke`,
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      scopes_supported: ['generate', 'references', 'read'],
    });
    expect((await world.get('/.well-known/openid-configuration')).status).toBe(404);
  });
});
