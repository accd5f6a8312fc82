// The promises of a paid chat call, written by hand on bare Fastify. Each step adds a promise to the steps before it.
// The first step is a gateway without books, and the last one keeps all promises of docs/architecture.md.
import { createCipheriv, createHash, createHmac, randomFillSync } from 'node:crypto';

import Fastify from 'fastify';
import pg from 'pg';
import { Counter, Histogram } from 'prom-client';
import { Pool } from 'undici';

import { body as bodySchema, answer as answerSchema } from '../lib/chat-schema.mjs';

const { PORT, DATABASE_URL, KEY, UPSTREAM, STEPS } = process.env;
const steps = Number(STEPS);
const [SETTLES, SEALS, COUNTS, TELLS] = [2, 3, 4, 5];

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 16 });
const vendor = new Pool(UPSTREAM, { connections: 64, pipelining: 1 });

await pool.query(`
  create table account (id bigint primary key, balance bigint not null check (balance >= 0)) with (fillfactor = 50);
  insert into account values (1, 9000000000000000);
  create table entry (account bigint, seq bigint generated always as identity, amount bigint, balance bigint, charge text,
    primary key (account, seq));
  create table charge (id text primary key, state text, operation text, payer text, key text, model text, price bigint,
    fingerprint bytea, created_at timestamptz default now(), settled_at timestamptz) with (fillfactor = 50);
  create table replay (charge text primary key, status smallint, answer bytea, expires_at timestamptz)`);

/**
 * The waiting statements, which run one after the other. Items that arrive while a statement runs share the next one.
 */
const due = [];
let busy = false;
const run = async () => {
  busy = true;
  for (let work = due.shift(); work !== undefined; work = due.shift()) await work();
  busy = false;
};
const coalesced = (write) => {
  let waiting = [];
  const writeAll = async () => {
    const batch = waiting;
    waiting = [];
    const results = await write(batch.map(({ item }) => item));
    for (const [at, { resolve }] of batch.entries()) resolve(results[at]);
  };
  return (item) =>
    new Promise((resolve) => {
      waiting.push({ item, resolve });
      if (waiting.length > 1) return;
      setImmediate(() => {
        due.push(writeAll);
        if (!busy) void run();
      });
    });
};

const column = (items, name) => items.map((item) => item[name] ?? null);

const DEBIT = `with r as (select * from unnest($1::bigint[], $2::bigint[], $3::text[]) with ordinality as r (id, price, charge, place)),
  s as (select id, sum(price)::bigint as total from r group by id),
  u as (update account a set balance = a.balance - s.total from s where a.id = s.id and a.balance >= s.total
    returning a.id, a.balance, s.total)
  insert into entry (account, amount, balance, charge)
  select r.id, -r.price, u.balance + u.total - (sum(r.price) over (partition by r.id order by r.place))::bigint, r.charge
  from r join u using (id) returning charge, balance`;
const HOLD = `with r as (select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
    $8::bytea[]) with ordinality as r (id, price, charge, operation, payer, key, model, fingerprint, place)),
  s as (select id, sum(price)::bigint as total from r group by id),
  u as (update account a set balance = a.balance - s.total from s where a.id = s.id and a.balance >= s.total
    returning a.id, a.balance, s.total),
  held as (insert into charge (id, state, operation, payer, key, model, price, fingerprint)
    select charge, 'held', operation, payer, key, model, price, fingerprint from r)
  insert into entry (account, amount, balance, charge)
  select r.id, -r.price, u.balance + u.total - (sum(r.price) over (partition by r.id order by r.place))::bigint, r.charge
  from r join u using (id) returning charge, balance`;
const SETTLE = `with s as (select * from unnest($1::text[], $2::smallint[], $3::bytea[]) as s (charge, status, answer)),
  moved as (update charge c set state = 'charged', settled_at = now() from s where c.id = s.charge and c.state = 'held'
    returning c.id),
  kept as (insert into replay select s.charge, s.status, s.answer, now() + interval '10 minutes' from s join moved on id = s.charge
    where s.answer is not null)
  select id from moved`;

const debit = coalesced(async (calls) => {
  const full = steps >= SETTLES;
  const { rows } = await pool.query({
    name: full ? 'hold' : 'debit',
    text: full ? HOLD : DEBIT,
    values: [
      calls.map(() => 1),
      column(calls, 'price'),
      column(calls, 'id'),
      ...(full
        ? [
            calls.map(() => 'chat'),
            calls.map(() => 'acc_0'),
            calls.map(() => 'key_0'),
            calls.map(() => 'a-model'),
            column(calls, 'fingerprint'),
          ]
        : []),
    ],
  });
  const balances = new Map(rows.map((row) => [row.charge, row.balance]));
  return calls.map(({ id }) => balances.get(id));
});
const settle = coalesced(async (calls) => {
  const { rows } = await pool.query({
    name: 'settle',
    text: SETTLE,
    values: [column(calls, 'id'), calls.map(() => 200), column(calls, 'sealed')],
  });
  const moved = new Set(rows.map(({ id }) => id));
  return calls.map(({ id }) => moved.has(id));
});

let random = Buffer.alloc(0);
let used = 0;
const randomBytes = (count) => {
  if (used + count > random.length) [random, used] = [randomFillSync(Buffer.allocUnsafeSlow(8192)), 0];
  used += count;
  return random.subarray(used - count, used);
};
let counter = 0;
const newId = () =>
  steps >= SETTLES
    ? `ch_${Date.now().toString(36)}${randomBytes(16).toString('base64url')}`
    : `ch_${(counter += 1)}`;

const SECRET = Buffer.from('a-secret-for-the-bench-a-secret-for-the-bench');
const sealed = (fingerprint, answer) => {
  const key = createHmac('sha256', SECRET).update('acc_0').update('\n').update(fingerprint).digest();
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const body = cipher.update(JSON.stringify(answer), 'utf8');
  cipher.final();
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
};

const windows = new Map();
const count = (name) => {
  const now = Date.now();
  let window = windows.get(name);
  if (window === undefined || window.endsAt <= now)
    windows.set(name, (window = { hits: 0, endsAt: now + 60_000 }));
  window.hits += 1;
  return window;
};
const requests = new Histogram({
  name: 'requests',
  help: 'r',
  labelNames: ['method', 'route', 'status'],
  buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 30, 100],
});
const vendors = new Histogram({
  name: 'vendors',
  help: 'v',
  labelNames: ['provider', 'operation'],
  buckets: [0.1, 0.5, 1, 2, 5, 10, 30, 60, 120],
});
const charges = new Counter({ name: 'charges', help: 'c', labelNames: ['rail', 'state'] });

const known = createHash('sha256').update(KEY).digest('base64');
const priceOf = ({ messages, max_tokens: most = 1024 }) => {
  const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
  return Math.max(2000, Math.ceil(((Math.ceil((chars * 2) / 7) * 0.22 + most * 0.43) * 10) / 3));
};
const ask = async ({ messages, max_tokens }, id) => {
  const started = performance.now();
  const { statusCode, body } = await vendor.request({
    path: '/v1/chat/completions',
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer up', 'x-client-request-id': id },
    body: JSON.stringify({ model: 'bench', messages, max_tokens }),
  });
  const said = JSON.parse(await body.text());
  if (statusCode !== 200) throw new Error(`the vendor answered ${statusCode}`);
  if (steps >= COUNTS)
    vendors.observe({ provider: 'openai', operation: 'chat' }, (performance.now() - started) / 1000);
  return said;
};

const app = Fastify({ logger: false, bodyLimit: 1 << 20 });
const EVERY = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    process.env.EXPOSED ?? 'PAYMENT-REQUIRED, PAYMENT-RESPONSE, Retry-After, X-Request-Id, X-Charge-Id',
  'cache-control': 'no-store',
};
if (steps >= COUNTS) {
  app.addHook('onRequest', (request, reply, done) => {
    count(`address|${request.ip}`);
    count(`challenge|${request.ip}`);
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    requests.observe(
      { method: 'POST', route: request.routeOptions.url, status: reply.statusCode },
      reply.elapsedTime / 1000,
    );
    done();
  });
}
if (steps >= TELLS) {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).headers(EVERY);
    done();
  });
}
app.get('/', async () => ({ ok: true }));
app.post(
  '/v1/agent/chat',
  { schema: { body: bodySchema, response: { 200: answerSchema } } },
  async (request, reply) => {
    const { body } = request;
    if (createHash('sha256').update(String(request.headers['x-api-key'])).digest('base64') !== known) {
      return reply.code(401).send({ error: 'key' });
    }
    const fingerprint =
      steps >= SETTLES
        ? createHash('sha256').update(`POST\n${request.url}\n`).update(JSON.stringify(body)).digest()
        : undefined;
    const [id, price] = [newId(), priceOf(body)];
    const window = steps >= COUNTS ? count('chat|acc_0') : undefined;
    const balance = await debit({ id, price, fingerprint });
    if (balance === undefined) return reply.code(402).send({ error: 'balance' });
    if (steps >= COUNTS) charges.inc({ rail: 'api-key', state: 'held' });
    const said = await ask(body, id);
    if (
      steps >= SETTLES &&
      !(await settle({ id, sealed: steps >= SEALS ? sealed(fingerprint, said) : null }))
    ) {
      return reply.code(503).send({ error: 'settlement' });
    }
    if (steps >= COUNTS) charges.inc({ rail: 'api-key', state: 'charged' });
    if (steps >= TELLS) {
      reply.headers({
        'ratelimit-limit': '1000',
        'ratelimit-remaining': String(window.hits),
        'ratelimit-reset': '60',
        'x-charge-id': id,
        'x-charge-micro': String(price),
        'x-charge-state': 'charged',
        'x-balance-micro': balance,
        'x-balance-remaining': balance,
      });
    }
    return said;
  },
);
// A regular exit, so that a profiler can write its results.
process.once('SIGTERM', () => process.exit(0));
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
