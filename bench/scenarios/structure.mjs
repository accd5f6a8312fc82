// The structure of the source, in counts: files and lines of each folder, and the files whose functions run for a call.
// BEFORE=<a built checkout> counts that one instead.
import { readFileSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { fundedKey } from '../lib/caller.mjs';
import { countsOf } from '../lib/counts.mjs';
import { payingRequest, wallet } from '../lib/payment.mjs';
import { startPostgres } from '../lib/postgres.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { settingsBetween, startService } from '../lib/service.mjs';

export const about = 'files and lines of each folder, and the files that run for each kind of call';

const ROOT = process.env.BEFORE ?? '.';
const CALLS = 20;
const JSON_BODY = { 'content-type': 'application/json' };
const BODY = { messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }] };
const FILM = { modelId: 'torch-video', prompt: 'a lamppost in the rain [[fail]]', duration: 4 };

const row = (cells) => console.log(`| ${cells.join(' | ')} |`);

const folders = () => {
  const sizes = new Map();
  for (const file of readdirSync(join(ROOT, 'src'), { recursive: true })) {
    if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue;
    const [folder, inside] = file.split('/');
    const name = inside === undefined ? 'src' : folder;
    const [files = 0, lines = 0] = sizes.get(name) ?? [];
    sizes.set(name, [
      files + 1,
      lines + readFileSync(join(ROOT, 'src', file), 'utf8').split('\n').length - 1,
    ]);
  }
  for (const cells of [
    ['folder', 'files', 'lines'],
    ['---', '---', '---'],
  ])
    row(cells);
  for (const [name, size] of [...sizes].sort(([a], [b]) => a.localeCompare(b))) row([name, ...size]);
  row(['all', ...[0, 1].map((at) => [...sizes.values()].reduce((sum, size) => sum + size[at], 0))]);
};

/** Counts the files with a function that ran for each call, and not as often in an equal time without calls. */
const filesOf = async (service, makeCalls) => {
  await makeCalls();
  await countsOf(service);
  const began = performance.now();
  await makeCalls();
  const busy = await countsOf(service);
  await pause(performance.now() - began);
  const idle = await countsOf(service);
  const ran = Object.keys(busy).filter((name) => busy[name] - (idle[name] ?? 0) >= CALLS);
  return [new Set(ran.map((name) => name.split(':')[0])).size, ran.length];
};

const answered = async (url, { path, headers, body, expected = 200 }) => {
  const answer = await fetch(url + path, { method: 'POST', headers: { ...JSON_BODY, ...headers }, body });
  const text = await answer.text();
  if (answer.status !== expected) throw new Error(`${path} was answered with ${answer.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
};

const times = async (call) => {
  for (let at = 0; at < CALLS; at += 1) await call();
};

/** Orders films that fail at their maker, and waits until each is refunded. */
const refundedFilms = async (url, headers) => {
  const jobs = [];
  const order = { path: '/v1/agent/generate', headers: { ...headers, prefer: 'respond-async' } };
  await times(async () => jobs.push(await answered(url, { ...order, body: JSON.stringify(FILM) })));
  for (const { jobId } of jobs)
    for (let state; state !== 'failed'; await pause(200)) {
      ({ status: state } = await (await fetch(`${url}/v1/agent/jobs/${jobId}`, { headers })).json());
      if (state === 'done') throw new Error('A film that should fail is done.');
    }
};

/** A receiver of webhooks, which keeps the ids of the messages. */
const startReceiver = async () => {
  const ids = [];
  const server = createServer((request, response) => {
    ids.push(request.headers['webhook-id']);
    request.resume();
    response.writeHead(204).end();
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    ids,
    next: async (before) => {
      for (const until = Date.now() + 30_000; ids.length === before; await pause(5))
        if (Date.now() > until) throw new Error('No message has come for 30 seconds.');
    },
    stop: () => server.close(() => undefined).closeAllConnections(),
  };
};

/** Lets one event reach a new endpoint. Each call of the result has this event sent again. */
const resentWebhook = async (url, headers, receiver) => {
  const body = JSON.stringify({ url: receiver.url, types: ['job.failed'] });
  const { id } = await answered(url, { path: '/v1/agent/webhooks', headers, body, expected: 201 });
  await answered(url, { path: '/v1/agent/generate', headers, body: JSON.stringify(FILM) });
  await receiver.next(0);
  const path = `/v1/agent/webhooks/${id}/deliveries/${receiver.ids[0]}/replay`;
  return async () => {
    const before = receiver.ids.length;
    await answered(url, { path, headers, expected: 202 });
    await receiver.next(before);
  };
};

/** Starts a service of the counted version with functions that count themselves. */
const started = (env) =>
  startService(env, ['--require', './bench/lib/count-files.cjs'], join(ROOT, 'dist/src/main.js'));

/** Calls whose answer comes from a vendor over HTTP, and a payment through a facilitator. */
const callRows = async (databaseUrl) => {
  const upstream = await startServer({ args: ['bench/peers/upstream.mjs'], port: await freePort() });
  const facilitator = await startServer({ args: ['bench/peers/facilitator.mjs'], port: await freePort() });
  const service = await started({ DATABASE_URL: databaseUrl, ...settingsBetween(upstream, facilitator) });
  try {
    const { url } = service;
    const headers = { 'x-api-key': await fundedKey(url) };
    const paying = await payingRequest(url, wallet());
    const chat = { path: '/v1/agent/chat', body: JSON.stringify(BODY) };
    const kinds = {
      'an unpaid call': () => answered(url, { ...chat, expected: 402 }),
      'a chat by key': () => answered(url, { ...chat, headers }),
      'an x402 payment': () => answered(url, paying.requests[0].setupRequest(paying)),
    };
    for (const [kind, call] of Object.entries(kinds))
      row([kind, ...(await filesOf(service, () => times(call)))]);
  } finally {
    for (const server of [service, upstream, facilitator]) await server.stop();
  }
};

/** Films of the sandbox that fail at their maker, and the webhook that says so. */
const filmRows = async (databaseUrl) => {
  const receiver = await startReceiver();
  const service = await started({
    DATABASE_URL: databaseUrl,
    SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
    FETCH_ALLOW_HOSTS: new URL(receiver.url).host,
    RATE_LIMIT_WEBHOOK_TESTS: '100000',
  });
  try {
    const { url } = service;
    const headers = { 'x-api-key': await fundedKey(url) };
    row(['a film until its refund', ...(await filesOf(service, () => refundedFilms(url, headers)))]);
    const resend = await resentWebhook(url, headers, receiver);
    row(['a webhook that is sent again', ...(await filesOf(service, () => times(resend)))]);
  } finally {
    await service.stop();
    receiver.stop();
  }
};

export const run = async () => {
  folders();
  const postgres = await startPostgres();
  try {
    console.log('');
    for (const cells of [
      ['a call', 'files', 'functions'],
      ['---', '---', '---'],
    ])
      row(cells);
    await callRows(await postgres.database('calls'));
    await filmRows(await postgres.database('films'));
  } finally {
    await postgres.stop();
  }
};
