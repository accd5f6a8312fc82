import { setTimeout as pause } from 'node:timers/promises';

import { Pool } from 'undici';

export const CONNECTIONS = 64;

const BODY = JSON.stringify({
  messages: [
    { role: 'system', content: 'You are terse.' },
    { role: 'user', content: 'hello '.repeat(40) },
  ],
  max_tokens: 256,
});

/**
 * Sends chats at even distances, whether or not earlier ones are answered. The time of each counts from the moment at which
 * it was due. So a slow answer also shows in the calls behind it. Without a rate, each connection sends its next call after
 * each answer.
 */
export const steadyLoad = async ({ url, key }, seconds, rate) => {
  const pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  const request = {
    path: '/v1/agent/chat',
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: BODY,
  };
  const times = [];
  let bad = 0;
  const began = performance.now();
  const isOver = () => performance.now() - began >= seconds * 1_000;
  const call = async (due) => {
    try {
      const { statusCode, body } = await pool.request(request);
      await body.dump();
      if (statusCode !== 200) bad += 1;
    } catch {
      bad += 1;
    }
    times.push(performance.now() - due);
  };
  const callOnAndOn = async () => {
    while (!isOver()) await call(performance.now());
  };
  const callAtRate = async () => {
    const calls = [];
    while (!isOver()) {
      for (let due = began + (calls.length * 1_000) / rate; due <= performance.now(); due += 1_000 / rate)
        calls.push(call(due));
      await pause(1);
    }
    await Promise.all(calls);
  };
  await (rate === undefined ? Promise.all(Array.from({ length: CONNECTIONS }, callOnAndOn)) : callAtRate());
  await pool.close();
  return { times, bad, seconds: (performance.now() - began) / 1_000 };
};
