import autocannon from 'autocannon';
import { Pool } from 'undici';

/** Sends one burst of load, for some seconds or with an amount of requests. A burst with wrong statuses proves nothing, so the bench counts and shows them. */
export const burst = async ({ url, request, connections, seconds, expect = 200, callsASecond, amount }) => {
  const result = await autocannon({
    url: url + request.path,
    method: request.method ?? 'GET',
    headers: request.headers,
    body: request.body,
    ...(request.requests === undefined ? {} : { requests: request.requests }),
    connections,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    ...(callsASecond === undefined ? {} : { overallRate: callsASecond }),
  });
  const good = result.statusCodeStats?.[expect]?.count ?? 0;
  return {
    perSecond: good / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    good,
    bad: result.requests.total - good + result.errors,
  };
};

/** Sends an amount of calls, each connection one after the other. It ends with the last answer, and a burst of the library with the next second. */
export const calls = async ({ url, request, connections, amount }) => {
  const pool = new Pool(url, { connections, pipelining: 1 });
  let left = amount;
  let good = 0;
  const callOn = async () => {
    while (left > 0) {
      left -= 1;
      const { statusCode, body } = await pool.request(request);
      await body.dump();
      if (statusCode === 200) good += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, callOn));
  await pool.close();
  return { good, bad: amount - good };
};
