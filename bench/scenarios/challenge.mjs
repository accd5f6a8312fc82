// The 402 of an unpaid call. The service computes a price, seals a quote and writes a header.
import { contest, table } from '../lib/contest.mjs';
import { freePort, startServer } from '../lib/process.mjs';
import { startService } from '../lib/service.mjs';

export const about = 'the unpaid challenge against bare Fastify (aim 0.5) and @x402/express (aim 3 times)';

const BODY = JSON.stringify({
  messages: [{ role: 'user', content: 'Why are lampposts green in some cities?' }],
});

export const run = async (options) => {
  const service = await startService();
  const sample = await fetch(`${service.url}/v1/agent/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
  });
  const bare = await startServer({
    args: ['bench/peers/fastify.mjs'],
    port: await freePort(),
    env: {
      ANSWER_PATH: '/v1/agent/chat',
      ANSWER_METHOD: 'POST',
      ANSWER_STATUS: '402',
      ANSWER_HEADER: sample.headers.get('payment-required'),
      ANSWER_BODY: await sample.text(),
    },
  });
  const express = await startServer({ args: ['bench/peers/x402-express.mjs'], port: await freePort() });
  const request = {
    path: '/v1/agent/chat',
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODY,
  };
  try {
    for (const connections of options.connections) {
      const rows = await contest(
        [
          { name: '@x402/express, computed price', server: express, request, expect: 402 },
          { name: 'Lamppost', server: service, request, expect: 402 },
          { name: 'bare Fastify, same bytes from memory', server: bare, request, expect: 402 },
        ],
        { ...options, connections, warmSeconds: 10 },
      );
      console.log(table(`POST /v1/agent/chat without a payment, ${connections} connections`, rows));
    }
  } finally {
    await Promise.all([service, bare, express].map((server) => server.stop()));
  }
};
