import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { OpenAPIObject } from '@nestjs/swagger';

import { PaidRoutes } from '#money/billing/calls/paid-routes';
import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { PublishedDocuments } from '#faces/discovery/published-documents';
import { micro } from '#kernel/money';
import { ROUTE_SCOPES } from '#people/keys/key-scopes';
import { Browser } from '../support/browser';
import { WalletCaller } from '../support/caller';
import { cloneDatabase } from '../support/postgres';
import { recordingForm } from '../support/recording-form';
import { type Answer, World } from '../support/world';
import { signedPayment } from './rail-callers';
import { needsOwnParties } from './route-fixtures';

type Headers = Record<string, string>;
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The credentials of a route in its document. */
type Kind = 'paid' | 'completion' | 'top-up' | 'owner' | 'balance' | 'session' | 'admin' | 'public';

interface Route {
  readonly method: Method;
  readonly path: string;
  readonly kind: Kind;
  readonly body?: object;
  /** No scope of a key names this route. */
  readonly isUnnamed?: boolean;
}

type Credential = 'none' | 'key' | 'delegated key' | 'wallet key' | 'session' | 'sign-in' | 'x402';

/** A credential in a certain state, and the headers that it sends. */
interface Caller {
  readonly credential: Credential;
  readonly state: string;
  /** For session routes of organisations. */
  readonly org?: string;
  readonly headers: (route: Route) => Headers | Promise<Headers>;
}

const SERVED = 'served';

/** Error codes that refuse the caller, whatever the call is. */
const REFUSALS = new Set([
  'MISSING_CREDENTIALS',
  'KEY_NOT_FOUND',
  'KEY_EXPIRED',
  'KEY_DISABLED',
  'KEY_SCOPE',
  'ACCOUNT_BANNED',
  'WALLET_BLOCKED',
  'INVALID_SIGN_IN',
  'ROLE_REQUIRED',
]);

const ENDED: Readonly<Record<string, string>> = {
  deleted: 'KEY_NOT_FOUND',
  exchanged: 'KEY_NOT_FOUND',
  expired: 'KEY_EXPIRED',
  disabled: 'KEY_DISABLED',
  'of a removed member': 'KEY_DISABLED',
  'of a demoted member': 'KEY_DISABLED',
  'parent deleted': 'KEY_NOT_FOUND',
  'parent disabled': 'KEY_DISABLED',
  banned: 'ACCOUNT_BANNED',
  sanctioned: 'WALLET_BLOCKED',
};

const isKey = (credential: Credential): boolean => credential.endsWith('key');

/** Routes about the person, independent of the organisation. */
const PERSONAL =
  /^(GET|POST) \/v1\/account\/organisations$|^POST \/v1\/account\/(invites\/\{token\}\/accept|password)$|^(GET|DELETE) \/v1\/account\/sessions|^(GET|POST) \/v1\/account\/(security|second-factor|passkeys|close|address-proof)\b/;
/** Reads that only some roles may do. */
const OF_SOME_ROLES =
  /\/organisations\/\{org\}\/(invites|audit|close)|\/billing\/(address|top-ups|auto-top-up)/;
const LEAVES = 'DELETE /v1/account/organisations/{org}/members/{member}';

/** The permissions of a session that acts for an organisation. */
const forSession = ({ method, path }: Route, state: string): string => {
  const name = `${method} ${path}`;
  if (state === 'over') return 'MISSING_CREDENTIALS';
  if (state === 'banned') return 'ACCOUNT_BANNED';
  if (PERSONAL.test(name)) return SERVED;
  if (state === 'organisation banned') return 'ACCOUNT_BANNED';
  if (state === 'removed') return 'NOT_FOUND';
  if (state !== 'demoted') return SERVED;
  const reads = method === 'GET' && !OF_SOME_ROLES.test(path);
  return reads || name === LEAVES ? SERVED : 'ROLE_REQUIRED';
};

const forSignIn = (state: string): string =>
  state === 'old' ? 'INVALID_SIGN_IN' : state === 'sanctioned' ? 'WALLET_BLOCKED' : SERVED;

/** The table: the answer of each kind of route to each credential in each state. */
const expected = (route: Route, { credential, state }: Caller): string => {
  const { kind, method, path } = route;
  if (path.endsWith('/x402/transactions/{wallet}') && credential === 'sign-in') return forSignIn(state);
  // The route returns the price, and accepts only a refund.
  if (path.endsWith('/x402/channels')) return 'PAYMENT_REQUIRED';
  if (kind === 'public') return SERVED;
  if (kind === 'admin') return 'MISSING_CREDENTIALS';
  if (kind === 'session') return credential === 'session' ? forSession(route, state) : 'MISSING_CREDENTIALS';
  // A route ignores credentials that it does not know.
  if (kind === 'top-up') {
    if (credential !== 'x402') return 'PAYMENT_REQUIRED';
    return state === 'sanctioned' ? 'WALLET_BLOCKED' : SERVED;
  }
  if (credential === 'none' || (credential === 'x402' && kind !== 'paid'))
    return kind === 'paid' ? 'PAYMENT_REQUIRED' : 'MISSING_CREDENTIALS';
  if (kind === 'balance' && !isKey(credential)) return 'MISSING_CREDENTIALS';
  if (credential === 'session') {
    const answer = forSession(route, state);
    if (answer !== SERVED) return answer;
  }
  if (credential === 'sign-in' && forSignIn(state) !== SERVED) return forSignIn(state);
  // A batch works for a day, and a signature is valid for minutes.
  if (credential === 'sign-in' && /^\/v1\/(batches|files)/.test(path)) return 'MISSING_CREDENTIALS';
  const ended = ENDED[state];
  if (ended !== undefined) return ended;
  if (state === 'scoped out') return 'KEY_SCOPE';
  // These keys name all routes that have a name.
  if (route.isUnnamed && (credential === 'delegated key' || credential === 'wallet key')) return 'KEY_SCOPE';
  if (/[/](alerts|statement)$/.test(path) && credential !== 'key' && isKey(credential)) return 'KEY_SCOPE';
  // Accounts change their alerts on another route.
  if (path.endsWith('/alerts') && method === 'PUT' && credential !== 'sign-in') return 'MISSING_CREDENTIALS';
  const costs = kind === 'paid' || kind === 'completion';
  if (state === 'above its maximum' && costs) return 'KEY_SCOPE';
  if (state === 'out of money' && costs) return 'PAYMENT_REQUIRED';
  return SERVED;
};

/** The answer as a word of the table. */
const said = ({ status, body }: Answer): string => {
  const code = String(body?.error?.code ?? '');
  if (status === 402) return 'PAYMENT_REQUIRED';
  if (REFUSALS.has(code)) return code;
  return code === 'NOT_FOUND' ? code : SERVED;
};

/** Bodies for routes whose document has no example. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /v1/account/register': { email: 'walk', password: 'short' },
  'POST /v1/account/sign-in': { email: 'walk@example.com', password: 'a wrong password' },
  'POST /v1/account/password': { current: 'a wrong password', next: 'correct horse battery two' },
  'POST /v1/account/organisations': { name: '' },
  'POST /v1/account/organisations/{org}/invites': { role: 'viewer' },
  'PATCH /v1/account/organisations/{org}/members/{member}': { role: 'viewer' },
  'POST /v1/account/billing/top-up': { amountMicro: 1 },
  'PATCH /v1/account/keys/{id}': { name: 'walked' },
  'POST /v1/account/keys/{id}/rotate': { overlapSeconds: 60 },
  'POST /v1/account/keys': { name: 'walked', expiresInDays: 31_000 },
};

const kindOf = (method: Method, path: string, schemes: readonly string[], paid: boolean): Kind => {
  if (path.startsWith('/v1/admin')) return 'admin';
  if (schemes.includes('session')) return 'session';
  if (path.endsWith('/top-up')) return 'top-up';
  if (paid) return 'paid';
  if (
    method === 'POST' &&
    /^\/v1\/(chat\/completions|messages|models\/\{call\}|responses|audio\/transcriptions)$/.test(path)
  )
    return 'completion';
  if (path === '/v1/agent/balance') return 'balance';
  return schemes.length === 0 ? 'public' : 'owner';
};

interface Operation {
  readonly security?: readonly object[];
  readonly requestBody?: {
    readonly content?: Readonly<
      Record<string, { readonly examples?: { readonly example?: { readonly value: object } } }>
    >;
  };
}

const routesOf = (document: OpenAPIObject): Route[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>)
      .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
      .map(([verb, { security = [], requestBody }]) => {
        // A route that needs no credential does not check the one that it gets.
        const isOpen = security.some((one) => Object.keys(one).length === 0);
        const schemes = security.flatMap((one) => Object.keys(one));
        const method = verb.toUpperCase() as Method;
        const shown = requestBody?.content?.['application/json'];
        return {
          method,
          path,
          kind: kindOf(
            method,
            path,
            isOpen && !schemes.includes('x402') ? [] : schemes,
            schemes.includes('x402'),
          ),
          body: BODIES[`${method} ${path}`] ?? shown?.examples?.example?.value ?? (requestBody && {}),
        };
      }),
  );

describe('who pays, and whether they may', () => {
  let world: World;
  let routes: readonly Route[];
  const callers: Caller[] = [];

  const post = (at: World, url: string, body: object, headers: Headers) => at.post(url, body, headers);

  beforeAll(async () => {
    const database = await cloneDatabase();
    const [listed, listedToo] = [new WalletCaller(), new WalletCaller()];
    const before = await World.start({ DATABASE_URL: database });
    const sanctioned = await walletKey(before, listed);
    await before.stop();
    const file = join(mkdtempSync(join(tmpdir(), 'lamppost-walk-')), 'wallets.txt');
    writeFileSync(file, `${listed.wallet}\n${listedToo.wallet}\n`);
    world = await World.start({ DATABASE_URL: database, SANCTIONED_WALLETS_FILE: file });
    const documents = world.app.get(PublishedDocuments);
    const paid = world.app.get(PaidRoutes, { strict: false });
    const isUnnamed = ({ kind, path }: Route): boolean =>
      kind === 'paid' && paid.at(path)?.options.scope === undefined;
    routes = [documents.agent, documents.account, documents.extensions]
      .flatMap((text) => routesOf(JSON.parse(text) as OpenAPIObject))
      // This call would end the session of the test.
      .filter(({ path }) => path !== '/v1/account/sign-out' && !needsOwnParties(path))
      .map((route) => ({ ...route, isUnnamed: isUnnamed(route) }));
    await addKeys();
    await addSessions();
    const live = new WalletCaller();
    await live.fund(world, 5_000_000n);
    byKey('wallet key', 'sanctioned', sanctioned);
    byKey('wallet key', 'live', await walletKey(world, live));
    bySignIn('live', live);
    bySignIn('out of money', new WalletCaller());
    bySignIn('sanctioned', listed);
    bySignIn('old', live, new Date(Date.now() - 6 * 60_000));
    byPayment('live', new WalletCaller());
    byPayment('sanctioned', listedToo);
    callers.push({ credential: 'none', state: 'none', headers: () => ({}) });
  }, 300_000);
  afterAll(() => world.stop());

  const walletKey = async (at: World, wallet: WalletCaller): Promise<string> => {
    await wallet.fund(at, 1_000_000n);
    const resource = `${at.settings.http.publicUrl}/v1/agent/keys`;
    const made = await post(
      at,
      '/v1/agent/keys',
      { limitMicro: 900_000, expiresInSeconds: 3_600, scopes: { routes: [...ROUTE_SCOPES] } },
      { 'sign-in-with-x': await wallet.signIn(at, { resource }) },
    );
    expect(made.status).toBe(201);
    return made.body.key as string;
  };
  const byKey = (credential: Credential, state: string, key: string, other = key): void => {
    // The first key's scopes permit exactly the routes that the second key's do not.
    const headers = ({ path }: Route) => ({ 'x-api-key': path === '/v1/agent/chat' ? other : key });
    callers.push({ credential, state, headers });
  };
  const bySignIn = (state: string, wallet: WalletCaller, issuedAt?: Date): void => {
    const headers = async ({ method, path }: Route) => ({
      'sign-in-with-x': await wallet.signIn(world, {
        issuedAt,
        resource:
          method === 'POST' && path === '/v1/agent/keys'
            ? `${world.settings.http.publicUrl}${path}`
            : undefined,
      }),
    });
    callers.push({ credential: 'sign-in', state, headers });
  };
  const payments = new Map<string, Promise<string>>();
  const byPayment = (state: string, wallet: WalletCaller): void => {
    const headers = async (route: Route) => {
      const isPaid = route.kind === 'paid' || route.kind === 'top-up';
      const [url, body] = isPaid
        ? [route.path, bodyFor(route, state) ?? {}]
        : ['/v1/agent/chat', { messages: [{ role: 'user', content: 'walk' }] }];
      const name = `${state} ${isPaid} ${url}`;
      if (!payments.has(name)) payments.set(name, signedPayment(world, wallet, body, { url }));
      return { 'payment-signature': await payments.get(name)! };
    };
    callers.push({ credential: 'x402', state, headers });
  };

  const give = (owner: string) =>
    world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(owner), micro(50_000_000n), `test:walk:${owner}`);
  const hand = async (key: string, more: object = {}): Promise<{ id: string; key: string }> => {
    const scopes = { routes: [...ROUTE_SCOPES] };
    const body = { limitMicro: 5_000_000, expiresInSeconds: 3_600, scopes, ...more };
    const made = await post(world, '/v1/agent/keys', body, { 'x-api-key': key });
    expect(made.status).toBe(201);
    return made.body as { id: string; key: string };
  };
  const run = (text: string, ...values: unknown[]) => world.db.rows(text, values);

  const addKeys = async (): Promise<void> => {
    const ann = await Browser.registered(world);
    await give(ann.id);
    const root = await ann.makeKey();
    const key = async (state: string, end: (id: string) => Promise<unknown>, more: object = {}) => {
      const made = await ann.makeKey(more);
      byKey('key', state, made.key);
      const child = await hand(root.key);
      byKey('delegated key', state, child.key);
      await end(made.id);
      await end(child.id);
    };
    byKey('key', 'live', root.key);
    byKey('delegated key', 'live', (await hand(root.key)).key);
    await key('deleted', (id) => ann.delete(`/v1/account/keys/${id}`));
    await key('disabled', (id) => ann.patch(`/v1/account/keys/${id}`, { enabled: false }));
    await key('expired', (id) => run('update api_key set expires_at = now() where id = $1', id));
    await key('exchanged', (id) => ann.post(`/v1/account/keys/${id}/rotate`, { overlapSeconds: 0 }));
    for (const [state, end] of [
      ['parent deleted', (id: string) => ann.delete(`/v1/account/keys/${id}`)],
      ['parent disabled', (id: string) => ann.patch(`/v1/account/keys/${id}`, { enabled: false })],
    ] as const) {
      const parent = await ann.makeKey();
      const child = await hand((await hand(parent.key)).key);
      byKey('delegated key', state, child.key);
      await end(parent.id);
    }
    const onlyChat = { scopes: { routes: ['chat'] } };
    const onlyRead = { scopes: { routes: ['read'] } };
    const cheap = { scopes: { routes: [...ROUTE_SCOPES], priceMicroMax: 1 } };
    byKey('key', 'scoped out', (await ann.makeKey(onlyChat)).key, (await ann.makeKey(onlyRead)).key);
    byKey(
      'delegated key',
      'scoped out',
      (await hand(root.key, onlyChat)).key,
      (await hand(root.key, onlyRead)).key,
    );
    byKey('key', 'above its maximum', (await ann.makeKey(cheap)).key);
    byKey('delegated key', 'above its maximum', (await hand(root.key, cheap)).key);
    byKey('delegated key', 'out of money', (await hand(root.key, { limitMicro: 1 })).key);
    byKey('key', 'out of money', (await (await Browser.registered(world)).makeKey()).key);
    const bob = await Browser.registered(world);
    await give(bob.id);
    const banned = await bob.makeKey();
    byKey('key', 'banned', banned.key);
    byKey('delegated key', 'banned', (await hand(banned.key)).key);
    await run('update account set banned_at = now() where id = $1', bob.id);
  };

  const addSessions = async (): Promise<void> => {
    const session = (state: string, who: Browser, org: string): void => {
      const { cookie } = who;
      const origin = new URL(world.settings.http.publicUrl).origin;
      callers.push({
        credential: 'session',
        state,
        org,
        headers: () => ({ ...cookie, origin, 'x-organisation': org }),
      });
    };
    const ann = await Browser.registered(world);
    const org = await ann.founds();
    await give(org);
    session('live', ann, org);
    const leave = (who: Browser) => ann.delete(`/v1/account/organisations/${org}/members/${who.id}`);
    const demote = (who: Browser) =>
      ann.patch(`/v1/account/organisations/${org}/members/${who.id}`, { role: 'viewer' });
    for (const [state, go] of [
      ['removed', leave],
      ['demoted', demote],
      ['banned', ({ id }: Browser) => run('update account set banned_at = now() where id = $1', id)],
      ['over', ({ id }: Browser) => run('delete from session where account_id = $1', id)],
    ] as const) {
      const dev = await ann.colleague('developer');
      const { key } = await dev.makeKey();
      session(state, dev, org);
      if (state === 'removed' || state === 'demoted') byKey('key', `of a ${state} member`, key);
      await go(dev);
    }
    const broke = await Browser.registered(world);
    session('out of money', broke, broke.id);
    const carl = await Browser.registered(world);
    const closed = await carl.founds();
    session('organisation banned', carl, closed);
    await run('update account set banned_at = now() where id = $1', closed);
  };

  /** A permitted caller sends a dry run. A caller without permission or money sends the call itself. */
  const bodyFor = ({ kind, body }: Route, state: string): object | undefined =>
    kind === 'paid' && ['live', 'above its maximum'].includes(state) ? { ...body, dryRun: true } : body;

  const send = async (route: Route, caller: Caller): Promise<Answer> => {
    const body = bodyFor(route, caller.state);
    const url = route.path
      .replace('{org}', caller.org ?? 'acc_nobody0000')
      .replace('{wallet}', `0x${'1'.repeat(40)}`)
      .replace('{call}', 'lumen-flash:generateContent')
      .replaceAll(/\{\w+\}/g, 'nothing_0000');
    const { file: _, ...fields } = (body ?? {}) as { readonly file?: string };
    const [type, payload] =
      route.path === '/v1/audio/transcriptions'
        ? await recordingForm(fields)
        : (['application/json', body && JSON.stringify(body)] as const);
    return world.send({
      method: route.method,
      url,
      headers: {
        ...(await caller.headers(route)),
        ...(payload === undefined ? {} : { 'content-type': type }),
      },
      ...(payload === undefined ? {} : { payload }),
    });
  };

  it('is what one table says, on every route, for every credential in every state', async () => {
    const wrong: string[] = [];
    let cells = 0;
    const chargesOf = async (): Promise<number> => (await run('select id from charge')).length;
    for (const caller of callers) {
      const before = await chargesOf();
      let mayPay = false;
      for (const route of routes) {
        const want = expected(route, caller);
        const answer = await send(route, caller).catch((error: unknown) => {
          throw new Error(`${caller.credential} (${caller.state}) at ${route.method} ${route.path}`, {
            cause: error,
          });
        });
        const got = said(answer);
        // NOT_FOUND also counts as served, because only a permitted caller gets it.
        const fits = got === want || (want === SERVED && got === 'NOT_FOUND');
        const short = want === SERVED && got === 'PAYMENT_REQUIRED' && caller.state === 'out of money';
        const first = want === SERVED && got === 'PAYMENT_REQUIRED' && route.kind === 'owner';
        if (!fits && !short && !first)
          wrong.push(
            `${caller.credential} (${caller.state}) at ${route.method} ${route.path}: ${want} wanted, got ${got} (${answer.status} ${String(answer.body?.error?.message ?? '')})`,
          );
        mayPay ||= want === SERVED && ['completion', 'top-up'].includes(route.kind);
        cells += 1;
      }
      if (!mayPay && (await chargesOf()) !== before)
        wrong.push(`${caller.credential} (${caller.state}) was charged`);
    }
    expect(wrong).toEqual([]);
    expect(cells).toBeGreaterThan(2_000);
    await world.expectBooksToBalance();
  }, 300_000);

  it('is asked of one place: nobody else asks a rail', () => {
    const found = execFileSync(
      'grep',
      [
        '-rnE',
        String.raw`\.(payerOf|provenPayerOf|identify)\(`,
        'src',
        '--include=*.ts',
        '--exclude=*.spec.ts',
      ],
      { encoding: 'utf8' },
    );
    const elsewhere = found
      .split('\n')
      .filter(
        (line) =>
          line !== '' &&
          !/^src\/money\/billing\/rails\/(payers|prepaid-rail|api-key\/api-key\.rail)\.ts:/.test(line),
      );

    expect(elsewhere).toEqual([]);
  });
});
