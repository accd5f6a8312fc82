import { randomBytes } from 'node:crypto';

import type { Answer, World } from './world';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Lets an account act as if its address was proven. */
export const skipProof = async (world: World, id: string): Promise<void> => {
  if (world.settings.mail === undefined) return;
  await world.db.rows('update account set proof_due = false, proven_at = now() where id = $1', [id]);
};

/** A person's browser on our own pages. It keeps the cookie and sends its origin, as browsers do. */
export class Browser {
  readonly email = `p-${randomBytes(6).toString('hex')}@example.com`;
  readonly password = 'correct horse battery';
  id = '';
  token: string | undefined;
  /** The organisation that the person acts for. */
  organisation: string | undefined;
  /** The attributes of the cookie. */
  cookieAttributes: readonly string[] = [];

  constructor(private readonly world: World) {}

  /** A browser whose person has just signed up, and has proven the address if the service sends mail. */
  static async registered(world: World): Promise<Browser> {
    const browser = await Browser.unproven(world);
    await skipProof(world, browser.id);
    return browser;
  }

  /** A browser whose person has just signed up. */
  static async unproven(world: World): Promise<Browser> {
    const browser = new Browser(world);
    const answer = await browser.post('/v1/account/register', {
      email: browser.email,
      password: browser.password,
    });
    expect(answer.status).toBe(201);
    browser.id = answer.body.id as string;
    return browser;
  }

  get cookie(): Readonly<Record<string, string>> {
    return this.token === undefined ? {} : { cookie: `lamppost_session=${this.token}` };
  }

  get(url: string): Promise<Answer> {
    return this.send('GET', url);
  }

  post(url: string, body: unknown = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('POST', url, body, headers);
  }

  patch(url: string, body: unknown): Promise<Answer> {
    return this.send('PATCH', url, body);
  }

  delete(url: string): Promise<Answer> {
    return this.send('DELETE', url);
  }

  signIn(password = this.password): Promise<Answer> {
    return this.post('/v1/account/sign-in', { email: this.email, password });
  }

  /** Makes an organisation, for which the person acts from then on. */
  async founds(name = 'Acme'): Promise<string> {
    const answer = await this.post('/v1/account/organisations', { name });
    expect(answer.status).toBe(201);
    this.organisation = answer.body.id as string;
    return this.organisation;
  }

  /** A new person in this person's organisation, who acts for it. */
  async colleague(role: string): Promise<Browser> {
    const browser = await Browser.registered(this.world);
    const { body } = await this.invite({ role });
    const joined = await browser.accept(body.inviteUrl as string);
    expect(joined.status).toBe(200);
    browser.organisation = this.organisation;
    return browser;
  }

  invite(body: object): Promise<Answer> {
    return this.post(`/v1/account/organisations/${this.organisation}/invites`, body);
  }

  accept(inviteUrl: string): Promise<Answer> {
    return this.post(`/v1/account/invites/${inviteUrl.split('/').at(-1)}/accept`);
  }

  /** A new key and its id. */
  async makeKey(more: object = {}): Promise<{ readonly id: string; readonly key: string }> {
    const answer = await this.post('/v1/account/keys', { name: 'agent', expiresInDays: null, ...more });
    expect(answer.status).toBe(201);
    return answer.body as { id: string; key: string };
  }

  async send(
    method: Method,
    url: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const answer = await this.world.send({
      method,
      url,
      headers: {
        ...this.cookie,
        ...(this.organisation === undefined ? {} : { 'x-organisation': this.organisation }),
        ...(method === 'GET' ? {} : { origin: new URL(this.world.settings.http.publicUrl).origin }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    this.keepCookie(answer);
    return answer;
  }

  private keepCookie({ headers }: Answer): void {
    const [cookie] = [headers['set-cookie'] ?? []].flat();
    if (cookie !== undefined) {
      const [pair = '', ...attributes] = cookie.split('; ');
      const value = pair.slice('lamppost_session='.length);
      this.token = value === '' ? undefined : value;
      this.cookieAttributes = attributes;
    }
  }
}
