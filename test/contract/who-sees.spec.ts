import type { OpenAPIObject } from '@nestjs/swagger';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { PublishedDocuments } from '#faces/discovery/published-documents';
import { micro } from '#kernel/money';
import { ROUTE_SCOPES } from '#people/keys/key-scopes';
import { Browser } from '../support/browser';
import { expectEventually } from '../support/eventually';
import { type Answer, World } from '../support/world';
import { Receiver } from '../webhooks/receiver';

type Headers = Readonly<Record<string, string>>;

/** A person's or a key's credential, which makes rows and reads them. */
interface Actor {
  readonly name: string;
  readonly headers: Headers;
  /** The names of the actors whose rows it sees, by the table of `docs/security.md`. */
  readonly sees: readonly string[];
}

/** The rows that an actor has made. Their ids, and the tag, mark an answer as theirs. */
interface Rows {
  readonly job: string;
  readonly charge: string;
  readonly file: string;
  readonly webhook: string;
  readonly event: string;
  readonly batch: string;
}

const NAMES = ['lead', "lead's key", 'dev', "dev's key", "dev's child key", 'other'] as const;
const DEVS = ['dev', "dev's key", "dev's child key"];

/** Reads of rows that are not calls: settings, keys, members, the library and the totals of the organisation. */
const LISTS = [
  '/v1/agent/requests',
  '/v1/account/requests',
  '/v1/account/requests.csv',
  '/v1/agent/jobs',
  '/v1/account/jobs',
  '/v1/agent/events',
  '/v1/account/billing/transactions',
  '/v1/account/billing/transactions.csv',
  '/v1/agent/webhooks',
  '/v1/files',
  '/v1/batches',
];
/** Reads that only some callers get. A caller gets the whole answer or a refusal. */
const WHOLE = new Set(['/v1/agent/statement']);

describe('whose rows are in an answer', () => {
  let world: World;
  let receiver: Receiver;
  let actors: Actor[];
  const rows = new Map<string, Rows>();
  let lead: Browser;
  let dev: Browser;

  beforeAll(async () => {
    receiver = await new Receiver().start();
    world = await World.start({
      FETCH_ALLOW_HOSTS: '127.0.0.1',
      RATE_LIMIT_ADDRESS: '0',
      RATE_LIMIT_FREE: '0',
      RATE_LIMIT_CHALLENGE: '0',
    });
    lead = await Browser.registered(world);
    const org = await lead.founds();
    await world.app
      .get(AccountFunds, { strict: false })
      .topUp(creditsAccount(org), micro(50_000_000n), 'test:who-sees');
    dev = await lead.colleague('developer');
    const other = await lead.colleague('developer');
    const key = { 'x-api-key': (await dev.makeKey()).key };
    const child = await world.post(
      '/v1/agent/keys',
      { limitMicro: 5_000_000, expiresInSeconds: 3_600, scopes: { routes: [...ROUTE_SCOPES] } },
      key,
    );
    actors = [
      { name: 'lead', headers: sessionOf(lead), sees: NAMES },
      { name: "lead's key", headers: { 'x-api-key': (await lead.makeKey()).key }, sees: NAMES },
      { name: 'dev', headers: sessionOf(dev), sees: DEVS },
      { name: "dev's key", headers: key, sees: DEVS },
      { name: "dev's child key", headers: { 'x-api-key': child.body.key }, sees: ["dev's child key"] },
      { name: 'other', headers: sessionOf(other), sees: ['other'] },
    ];
    const hooks: string[] = [];
    for (const actor of actors) hooks.push(await hookOf(actor));
    for (const [at, actor] of actors.entries()) rows.set(actor.name, await rowsOf(actor, hooks[at]!));
    for (const role of ['viewer', 'billing'])
      actors.push({ name: role, headers: sessionOf(await lead.colleague(role)), sees: NAMES });
    await expectEventually(async () => {
      const { body } = await world.get('/v1/agent/events?limit=200', actors[0]!.headers);
      return [...rows.values()].every(({ event }) =>
        body.events.some(({ id }: { id: string }) => id === event),
      );
    });
  }, 300_000);
  afterEach(() => world.expectBooksToBalance());
  afterAll(async () => {
    await world.stop();
    await receiver.stop();
  });

  const sessionOf = (who: Browser): Headers => ({
    ...who.cookie,
    origin: new URL(world.settings.http.publicUrl).origin,
    'x-organisation': who.organisation!,
  });

  const hookOf = async ({ name, headers }: Actor): Promise<string> => {
    const hook = await world.post('/v1/agent/webhooks', { url: `${receiver.url}?${tagOf(name)}` }, headers);
    expect(hook.status).toBe(201);
    return hook.body.id as string;
  };

  const rowsOf = async ({ name, headers }: Actor, webhook: string): Promise<Rows> => {
    const made = await world.post('/v1/agent/generate', { prompt: 'a lamp', tag: tagOf(name) }, headers);
    expect(made.status).toBe(200);
    const charge = String(made.headers['x-charge-id']);
    const job = (await world.db.one<{ id: string }>('select id from job where charge_id = $1', [charge]))!.id;
    const form = new FormData();
    form.set('purpose', 'batch');
    const body = { messages: [{ role: 'user', content: tagOf(name) }], max_tokens: 16 };
    const line = { custom_id: 'one', method: 'POST', url: '/v1/chat/completions', body };
    form.set('file', new Blob([`${JSON.stringify(line)}\n`]), 'calls.jsonl');
    const encoded = new Response(form);
    const file = await world.send({
      method: 'POST',
      url: '/v1/files',
      headers: { ...headers, 'content-type': encoded.headers.get('content-type')! },
      payload: Buffer.from(await encoded.arrayBuffer()),
    });
    expect(file.status).toBe(200);
    const batch = await world.post(
      '/v1/batches',
      { input_file_id: file.body.id, endpoint: '/v1/chat/completions', completion_window: '24h' },
      headers,
    );
    expect(batch.status).toBe(200);
    return {
      job,
      charge,
      file: file.body.id,
      webhook,
      batch: batch.body.id,
      event: `evt_${job.slice('job_'.length)}.d`,
    };
  };

  const tagOf = (name: string): string => `tag-${NAMES.indexOf(name as (typeof NAMES)[number])}-of-six`;

  const whoseIn = ({ body }: Answer): string[] =>
    NAMES.filter((name) =>
      [tagOf(name), ...Object.values(rows.get(name)!)].some((mark) => JSON.stringify(body).includes(mark)),
    );

  it('is what the table says, on every list, for every credential', async () => {
    const wrong: string[] = [];
    for (const { name, headers, sees } of actors)
      for (const url of LISTS) {
        const isKey = 'x-api-key' in headers;
        if (isKey && url.startsWith('/v1/account')) continue;
        // A page may be short, because it scans a part of the rows.
        const answer = await world.get(url.includes('.csv') ? url : `${url}?limit=100`, headers);
        const whose = answer.status === 200 ? whoseIn(answer) : [`${answer.status}`];
        if (whose.join() !== [...sees].join()) wrong.push(`${name} at ${url}: ${whose.join(', ')}`);
      }
    expect(wrong).toEqual([]);
  });

  it('is never more than that, on any route of the documents', async () => {
    const documents = world.app.get(PublishedDocuments);
    const paths = [documents.agent, documents.account, documents.extensions].flatMap((text) =>
      Object.entries((JSON.parse(text) as OpenAPIObject).paths).flatMap(([path, item]) =>
        'get' in (item as object) && !path.includes('{') ? [path] : [],
      ),
    );
    expect(paths.length).toBeGreaterThan(40);
    const wrong: string[] = [];
    for (const { name, headers, sees } of actors)
      for (const path of paths) {
        const answer = await world.get(path, headers);
        const most = WHOLE.has(path) && sees.length < NAMES.length ? [] : sees;
        const more = answer.status === 200 ? whoseIn(answer).filter((one) => !most.includes(one)) : [];
        if (more.length > 0) wrong.push(`${name} at ${path}: ${more.join(', ')}`);
      }
    expect(wrong).toEqual([]);
  });

  it('is the same for one row as for the list', async () => {
    const wrong: string[] = [];
    for (const { name, headers, sees } of actors)
      for (const [owner, { webhook, file, batch, event }] of rows) {
        const own = sees.includes(owner);
        const urls = [
          `/v1/agent/webhooks/${webhook}`,
          `/v1/agent/webhooks/${webhook}/deliveries`,
          `/v1/files/${file}`,
          `/v1/files/${file}/content`,
          `/v1/batches/${batch}`,
          ...('x-api-key' in headers ? [] : [`/v1/account/webhooks/${webhook}/tries`]),
        ];
        for (const url of urls) {
          const { status } = await world.get(url, headers);
          if ((status === 200) !== own || (status !== 200 && status !== 404))
            wrong.push(`${name} of ${owner}: ${url} ${status}`);
        }
        if (own || ['viewer', 'billing'].includes(name)) continue;
        for (const [method, url] of [
          ['DELETE', `/v1/files/${file}`],
          ['POST', `/v1/batches/${batch}/cancel`],
          ['POST', `/v1/agent/jobs/${rows.get(owner)!.job}/cancel`],
          ['DELETE', `/v1/agent/webhooks/${webhook}`],
          ['POST', `/v1/agent/webhooks/${webhook}/deliveries/${event}/replay`],
        ] as const) {
          const { status } = await world.send({ method, url, headers });
          if (status !== 404) wrong.push(`${name} of ${owner}: ${method} ${url} ${status}`);
        }
      }
    expect(wrong).toEqual([]);
  });

  it('is the same for what a webhook receives', async () => {
    const at = (name: string): string[] =>
      receiver.received.filter(({ body }) => body.includes(rows.get(name)!.webhook)).map(({ id }) => id);
    await expectEventually(() =>
      actors
        .slice(0, NAMES.length)
        .every(({ name, sees }) => sees.every((one) => at(name).includes(rows.get(one)!.event))),
    );
    for (const { name, sees } of actors.slice(0, NAMES.length))
      for (const owner of NAMES)
        if (!sees.includes(owner)) expect(at(name)).not.toContain(rows.get(owner)!.event);
    // A developer can't fetch an event of others through an endpoint of their own either.
    const { webhook } = rows.get('dev')!;
    const { event } = rows.get('other')!;
    const replay = await dev.post(`/v1/agent/webhooks/${webhook}/deliveries/${event}/replay`);
    expect(replay.status).toBe(404);
  });

  it('is the same for a reader that waits for events', async () => {
    const [read, made] = [actors[3]!, actors[0]!];
    const since = `/v1/agent/events?after=now`;
    const { body } = await world.get(since, read.headers);
    const waiting = world.get(`/v1/agent/events?after=${body.nextCursor}&types=job.done`, {
      ...read.headers,
      prefer: 'wait=20',
    });
    await world.post('/v1/agent/generate', { prompt: 'a lamp of another' }, made.headers);
    const own = await world.post('/v1/agent/generate', { prompt: 'a lamp of mine' }, read.headers);
    const { events } = (await waiting).body as { events: { data: { chargeId?: string; id: string } }[] };
    const job = await world.db.one<{ id: string }>('select id from job where charge_id = $1', [
      own.headers['x-charge-id'],
    ]);
    expect(events.map(({ data }) => data.id)).toEqual([job!.id]);
  });

  it('changes with the role of the person', async () => {
    const role = (name: string) =>
      lead.patch(`/v1/account/organisations/${lead.organisation}/members/${dev.id}`, { role: name });
    const whose = async () => whoseIn(await world.get('/v1/agent/requests?limit=100', actors[3]!.headers));
    await role('admin');
    await expectEventually(async () => (await whose()).length === NAMES.length);
    await role('developer');
    await expectEventually(async () => (await whose()).join() === DEVS.join());
  });
});
