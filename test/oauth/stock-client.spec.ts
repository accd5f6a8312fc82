import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';

import { freePort } from '../../tools/chain/free-port';
import { KeyCaller } from '../support/caller';
import { OauthBrowser } from '../support/oauth-browser';
import { World } from '../support/world';

type Stored<Value> = { value?: Value };

/** The store of a stock client. It opens the address of the sign-in in the person's browser. */
class StoredSignIn implements OAuthClientProvider {
  readonly client: Stored<never> = {};
  readonly kept: Stored<never> = {};
  verifier = '';
  opened?: URL;
  readonly redirectUrl = 'http://localhost:8080/callback';
  readonly clientMetadata = {
    client_name: 'Stock Client',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };

  clientInformation = (): undefined => this.client.value;
  saveClientInformation = (information: unknown): void => {
    this.client.value = information as never;
  };
  tokens = (): undefined => this.kept.value;
  saveTokens = (tokens: unknown): void => {
    this.kept.value = tokens as never;
  };
  redirectToAuthorization = (url: URL): void => {
    this.opened = url;
  };
  saveCodeVerifier = (verifier: string): void => {
    this.verifier = verifier;
  };
  codeVerifier = (): string => this.verifier;
}

describe('a stock client with nothing but the address', () => {
  let world: World;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    world = await World.start({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    url = await world.listen(port);
  });
  afterAll(() => world.stop());

  it('signs in, lists the tools, and gets a picture', async () => {
    const { cookie } = await KeyCaller.register(world, 10_000_000n);
    const store = new StoredSignIn();
    const address = new URL(`${url}/mcp`);
    const connect = async (): Promise<Client> => {
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(new StreamableHTTPClientTransport(address, { authProvider: store }) as never);
      return client;
    };

    await expect(connect()).rejects.toThrow(UnauthorizedError);
    const answered = await new OauthBrowser(world, cookie).allow(store.opened!.href);
    await new StreamableHTTPClientTransport(address, { authProvider: store }).finishAuth(
      answered.searchParams,
    );
    const client = await connect();
    const { tools } = await client.listTools();
    const made = await client.callTool({ name: 'generate_image', arguments: { prompt: 'a lamp' } });
    await client.close();

    expect(answered.searchParams.get('iss')).toBe(world.settings.http.publicUrl);
    expect(tools.map(({ name }) => name)).toContain('generate_image');
    expect(made.isError).toBeFalsy();
    expect(made.structuredContent).toMatchObject({ status: 'done' });
    await world.expectBooksToBalance();
  });
});
