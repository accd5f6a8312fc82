import autocannon from 'autocannon';

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
