// npm run smoke -- <provider> [--video] --spend: makes one small real call of each kind through the whole service, with
// the keys of the settings. Only such a call proves that a vendor works, because tests use fakes. It costs some
// cents. The automatic tests do not run it. Without --spend it only prints its plan.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import 'reflect-metadata';

import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { AccountFunds } from '#money/billing/ledger/account-funds';
import { creditsAccount } from '#money/billing/ledger/account-id';
import { Catalog } from '#models/catalog/catalog';
import { createApp } from '../src/create-app';
import { micro } from '#kernel/money';
import { readSettings, variablesOfProcess } from '../src/settings';
import { readParties } from '#platform/config/party';
import { startEmbeddedPostgres } from '#platform/database/embedded-postgres';
import { migrate } from '#platform/database/migrations';
import { VENDORS } from '#models/providers/vendors';

const ORIGIN = 'http://127.0.0.1:3000';
const CREDITS = micro(100_000_000n);
const JOB_MS_MAX = 900_000;

interface Entry {
  readonly id: string;
  readonly mode?: string;
  readonly capabilities?: object;
  readonly routes: readonly { readonly provider: string }[];
}

type Rows = Readonly<Record<'media' | 'text' | 'audio', readonly Entry[]>>;

const say = (line: string): void => void process.stdout.write(`${line}\n`);

const VARIABLES = variablesOfProcess();

/** The real providers, including the servers that the settings list. */
const outside = () => readParties(VENDORS, VARIABLES, []);

/**
 * The models with a route at this provider. Each keeps only that route, so that no call fails over to another one.
 * Capabilities are removed, because the start refuses a capability that no route of the model has.
 */
const catalogOf = (provider: string): Rows => {
  const path =
    VARIABLES['CATALOG_FILE'] ?? join(__dirname, '..', 'src', 'models', 'catalog', 'default-catalog.json');
  const all = JSON.parse(readFileSync(path, 'utf8')) as Rows;
  const only = (entries: readonly Entry[]): Entry[] =>
    entries
      .map(({ capabilities: _, ...entry }) => ({
        ...entry,
        routes: entry.routes.filter((route) => route.provider === provider),
      }))
      .filter(({ routes }) => routes.length > 0);
  return { media: only(all.media), text: only(all.text), audio: only(all.audio ?? []) };
};

const cheapest = (catalog: Catalog, mode: string): string | undefined =>
  [...catalog.media.values()]
    .filter((model) => model.mode === mode)
    .sort((a, b) => Number((a.costs.get('default') ?? 0n) - (b.costs.get('default') ?? 0n)))[0]?.id;

type Send = (method: 'GET' | 'POST', url: string, body?: object) => Promise<Record<string, unknown>>;

const senderOf =
  (app: NestFastifyApplication, headers: Readonly<Record<string, string>>): Send =>
  async (method, url, body) => {
    const answer = await app.inject({
      method,
      url,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });
    if (answer.statusCode >= 400) throw new Error(`${method} ${url}: ${answer.statusCode} ${answer.payload}`);
    return answer.headers['content-type']?.toString().includes('json') === true
      ? (answer.json() as Record<string, unknown>)
      : { text: answer.payload, bytes: answer.rawPayload.length, mime: answer.headers['content-type'] };
  };

/** Makes a medium, from the submission to the file in our own store. */
const make = async (send: Send, modelId: string): Promise<string> => {
  const first = await send('POST', '/v1/agent/generate', {
    prompt: 'A green lamppost, small and plain.',
    modelId,
  });
  let job = first;
  for (
    const until = Date.now() + JOB_MS_MAX;
    job['status'] === 'running' && Date.now() < until;
    await pause(2_000)
  ) {
    job = await send('GET', `/v1/agent/jobs/${String(first['jobId'])}`);
  }
  if (job['status'] !== 'done')
    throw new Error(`It ended as ${String(job['status'])}: ${String(job['error'])}`);
  const file = await send('GET', new URL(String(job['url'])).pathname);
  return `${String(file['mime'])}, ${String(file['bytes'])} bytes`;
};

const run = async (provider: string, withVideo: boolean, spend: boolean): Promise<boolean> => {
  const folder = mkdtempSync(join(tmpdir(), 'lamppost-smoke-'));
  const rows = catalogOf(provider);
  writeFileSync(join(folder, 'catalog.json'), JSON.stringify(rows));
  const passedOn = new Set(['FETCH_ALLOW_HOSTS', 'LIVE_COSTS', ...outside().names]);
  const keys = Object.entries(VARIABLES).filter(([name]) => passedOn.has(name));
  const postgres = await startEmbeddedPostgres({ dataDir: folder });
  const settings = readSettings({
    ...Object.fromEntries(keys),
    DATA_DIR: folder,
    CATALOG_FILE: join(folder, 'catalog.json'),
    DATABASE_URL: postgres.url,
    SIGNING_SECRET: 'a-secret-that-lives-as-long-as-this-run',
    PUBLIC_URL: ORIGIN,
    ALLOW_SANDBOX_MIX: 'true',
    LOG_LEVEL: 'warn',
  });
  await migrate(postgres.url, { queues: true });
  const app = await createApp(settings);
  let good = true;
  try {
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
    const catalog = app.get(Catalog, { strict: false });
    const text = rows.text[0]?.id;
    const [image, video] = [cheapest(catalog, 't2i'), withVideo ? cheapest(catalog, 't2v') : undefined];
    const plan = { chat: text, 'streamed chat': text, image, video };
    for (const [what, model] of Object.entries(plan)) {
      if (model !== undefined) say(`${spend ? 'will buy' : 'would buy'} ${what} of ${model}`);
    }
    if (!spend) return true;
    const headers = { 'content-type': 'application/json', origin: ORIGIN };
    const account = await app.inject({
      method: 'POST',
      url: '/v1/account/register',
      headers,
      payload: { email: 'smoke@example.test', password: 'a passphrase for the smoke' },
    });
    const cookie = String(account.headers['set-cookie']).split(';')[0] ?? '';
    const { id } = account.json() as { id: string };
    await app.get(AccountFunds, { strict: false }).topUp(creditsAccount(id), CREDITS, 'smoke');
    const send = senderOf(app, { cookie, origin: ORIGIN });
    const ask = {
      model: text,
      messages: [{ role: 'user', content: 'Say "lamppost" and nothing else.' }],
      max_tokens: 32,
    };
    const checks: Readonly<Record<string, () => Promise<string>>> = {
      chat: async () => JSON.stringify((await send('POST', '/v1/agent/chat', ask))['usage']),
      'streamed chat': async () => {
        const { text: events } = await send('POST', '/v1/chat/completions', { ...ask, stream: true });
        if (!String(events).includes('[DONE]')) throw new Error('The stream broke off.');
        return `${String(events).split('data: ').length - 1} events`;
      },
      image: () => make(send, image ?? ''),
      video: () => make(send, video ?? ''),
    };
    for (const [what, model] of Object.entries(plan)) {
      if (model === undefined) continue;
      try {
        say(`ok   ${what}: ${await checks[what]!()}`);
      } catch (error) {
        good = false;
        say(`FAIL ${what} (${model}): ${(error as Error).message}`);
      }
    }
    const { balanceMicro } = await send('GET', '/v1/account');
    say(`charged ${Number(CREDITS) - Number(balanceMicro)} micro-USD at our list price`);
    return good;
  } finally {
    await app.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
};

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { video: { type: 'boolean', default: false }, spend: { type: 'boolean', default: false } },
  });
  const [provider = ''] = positionals;
  const real = outside().parties.flatMap(({ name, enabledBy }) => (enabledBy === undefined ? [] : name));
  if (!real.includes(provider)) {
    say(
      `Name a provider: npm run smoke -- ${real.join('|')} [--video] --spend. Its key comes from the environment or from the file .env.`,
    );
    process.exitCode = 2;
    return;
  }
  process.exitCode = (await run(provider, values.video, values.spend)) ? 0 : 1;
};

void main();
