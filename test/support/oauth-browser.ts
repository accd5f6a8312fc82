import { createHash, randomBytes } from 'node:crypto';

import type { Answer, World } from './world';

const REDIRECTS_MAX = 10;

interface Pkce {
  readonly verifier: string;
  readonly challenge: string;
}

const newPkce = (): Pkce => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

let browsers = 0;

/** A person with a browser without scripts, at an address of its own: it keeps cookies by their paths, follows redirects and sends forms. */
export class OauthBrowser {
  private readonly jar = new Map<string, { readonly path: string; readonly value: string }>();
  private readonly origin: string;
  private readonly address = `198.18.${browsers >> 8}.${browsers++ & 255}`;

  constructor(
    private readonly world: World,
    session?: string,
  ) {
    this.origin = new URL(world.settings.http.publicUrl).origin;
    if (session !== undefined) this.keep(`${session}; Path=/`);
  }

  private keep(line: string): void {
    const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? '/';
    const at = pair.indexOf('=');
    const name = `${pair.slice(0, at)} ${path}`;
    if (attributes.some((one) => /^expires=Thu, 01 Jan 1970/i.test(one))) this.jar.delete(name);
    else this.jar.set(name, { path, value: pair });
  }

  private async send(
    method: 'GET' | 'POST',
    url: string,
    form?: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string>> = {},
    world = this.world,
  ): Promise<Answer> {
    const { pathname } = new URL(url, this.origin);
    const cookie = [...this.jar.values()]
      .filter(({ path }) => pathname.startsWith(path))
      .map(({ value }) => value)
      .join('; ');
    const answer = await world.send({
      remoteAddress: this.address,
      method,
      url,
      headers: {
        accept: 'text/html',
        cookie,
        ...(form && { origin: this.origin, 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      payload: form && new URLSearchParams(form).toString(),
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) this.keep(line);
    return answer;
  }

  /** Opens an address, and follows redirects on our own pages. The address of another page is the end. */
  async open(url: string): Promise<{ readonly answer: Answer; readonly at: string }> {
    let at = url.replace(this.origin, '');
    for (let redirects = 0; redirects < REDIRECTS_MAX; redirects += 1) {
      const answer = await this.send('GET', at);
      const { location } = answer.headers;
      if (location === undefined) return { answer, at };
      const next = new URL(location, this.origin);
      if (next.origin !== this.origin) return { answer, at: next.href };
      at = `${next.pathname}${next.search}`;
    }
    throw new Error(`${url} redirects too often.`);
  }

  /** Opens a page of this or of another process, without following it. */
  get(at: string, world = this.world): Promise<Answer> {
    return this.send('GET', at, undefined, {}, world);
  }

  /** Sends the form of the page of consent. `changes` replaces its values. */
  async decide(
    at: string,
    page: Answer,
    changes: Readonly<Record<string, string>> = {},
    headers: Readonly<Record<string, string>> = {},
    world = this.world,
  ): Promise<{ readonly answer: Answer; readonly at: string }> {
    const html = String(page.body);
    const valueOf = (name: string): string =>
      new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1] ?? '';
    const answer = await this.send(
      'POST',
      at,
      {
        token: valueOf('token'),
        organisation: /<option value="([^"]*)"/.exec(html)?.[1] ?? '',
        limit: valueOf('limit'),
        days: valueOf('days'),
        decision: 'allow',
        ...changes,
      },
      headers,
      world,
    );
    const { location } = answer.headers;
    return location === undefined ? { answer, at } : this.open(location);
  }

  /** Asks for a code and allows it. The result is the address to which the answer leads. */
  async allow(url: string, changes?: Readonly<Record<string, string>>): Promise<URL> {
    const { answer, at } = await this.open(url);
    if (!at.startsWith('/oauth/consent/')) return new URL(at, this.origin);
    return new URL((await this.decide(at, answer, changes)).at, this.origin);
  }
}

/** A strict app: it checks everything that the specifications say, and stores nothing. */
export class StrictApp {
  readonly pkce = newPkce();
  readonly redirect = 'http://127.0.0.1:7777/callback';
  clientId = '';

  constructor(private readonly world: World) {}

  get resource(): string {
    return `${this.world.settings.http.publicUrl}/mcp`;
  }

  async register(more: object = {}): Promise<Answer> {
    const answer = await this.world.post('/oauth/register', {
      client_name: 'Strict App',
      redirect_uris: [this.redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...more,
    });
    this.clientId = String(answer.body.client_id);
    return answer;
  }

  /** The address that the app opens in the browser. An undefined change leaves the parameter out. */
  authorizeUrl(changes: Readonly<Record<string, string | undefined>> = {}): string {
    const asked = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirect,
      state: 'a-state',
      code_challenge: this.pkce.challenge,
      code_challenge_method: 'S256',
      resource: this.resource,
      ...changes,
    };
    const given = Object.entries(asked).filter((one): one is [string, string] => one[1] !== undefined);
    return `/oauth/authorize?${new URLSearchParams(given).toString()}`;
  }

  token(fields: Readonly<Record<string, string | undefined>>, world = this.world): Promise<Answer> {
    const given = Object.entries({ client_id: this.clientId, ...fields });
    const form = new URLSearchParams(given.filter((one): one is [string, string] => one[1] !== undefined));
    return world.send({
      method: 'POST',
      url: '/oauth/token',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: form.toString(),
    });
  }

  exchange(code: string, changes: Readonly<Record<string, string | undefined>> = {}): Promise<Answer> {
    return this.token({
      grant_type: 'authorization_code',
      code,
      redirect_uri: this.redirect,
      code_verifier: this.pkce.verifier,
      resource: this.resource,
      ...changes,
    });
  }

  refresh(token: string, world = this.world): Promise<Answer> {
    return this.token({ grant_type: 'refresh_token', refresh_token: token, resource: this.resource }, world);
  }

  /** Signs in with the person's browser, and returns the answer with the tokens. */
  async connect(
    browser: OauthBrowser,
    changes?: Readonly<Record<string, string>>,
    scope?: string,
  ): Promise<Answer> {
    const url = await browser.allow(this.authorizeUrl({ scope }), changes);
    return this.exchange(url.searchParams.get('code') ?? '');
  }
}

const ACCEPT = { accept: 'application/json, text/event-stream' };

/** One message to the tools, with an access token. */
export const askTools = async (
  world: World,
  token: string | undefined,
  method: string,
  params: object = {},
): Promise<Answer & { readonly result?: Readonly<Record<string, never>> }> => {
  const answer = await world.post(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method, params },
    { ...ACCEPT, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  );
  const data = /^data: (.*)$/m.exec(String(answer.body))?.[1];
  return { ...answer, result: data === undefined ? undefined : JSON.parse(data).result };
};

/** The names of the tools that an access token may use. */
export const toolsOf = async (world: World, token: string): Promise<readonly string[]> => {
  const { result } = await askTools(world, token, 'tools/list');
  return ((result?.['tools'] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
};

/** A paid call of the cheapest tool. */
export const chatBy = (world: World, token: string) =>
  askTools(world, token, 'tools/call', {
    name: 'chat',
    arguments: { messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 },
  });
