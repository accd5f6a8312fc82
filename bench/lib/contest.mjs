// Measures the contestants alternately, round by round, so that a machine that becomes slower affects all of them.
import { burst } from './load.mjs';

export const median = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** `contestants`: [{name, server, request, expect}]. All others are compared with the first one. */
export const contest = async (contestants, { rounds, seconds, connections, warmSeconds = 1 }) => {
  const rows = new Map(contestants.map(({ name }) => [name, []]));
  for (const { server, request, expect } of contestants) {
    // This warm-up does not count.
    await burst({ url: server.url, request: fresh(request), connections, seconds: warmSeconds, expect });
  }
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, server, request, expect } of contestants) {
      const before = server.cpuMicros();
      const result = await burst({ url: server.url, request: fresh(request), connections, seconds, expect });
      const cpu = (server.cpuMicros() - before) / Math.max(1, result.good + result.bad);
      rows.get(name).push({ ...result, cpu });
    }
  }
  const [reference] = contestants;
  const base = rows.get(reference.name);
  return contestants.map(({ name }) => {
    const own = rows.get(name);
    return {
      name,
      connections,
      perSecond: Math.round(median(own.map((row) => row.perSecond))),
      cpuMicros: Math.round(median(own.map((row) => row.cpu))),
      p50: median(own.map((row) => row.p50)),
      p99: median(own.map((row) => row.p99)),
      ratio: median(own.map((row, round) => row.perSecond / base[round].perSecond)),
      cpuRatio: median(own.map((row, round) => base[round].cpu / row.cpu)),
      bad: own.reduce((sum, row) => sum + row.bad, 0),
    };
  });
};

const fresh = (request) => (typeof request === 'function' ? request() : request);

export const table = (title, rows) => {
  const lines = rows.map((row) =>
    [
      row.name.padEnd(44),
      String(row.connections).padStart(4),
      String(row.perSecond).padStart(8),
      String(row.cpuMicros).padStart(7),
      String(row.p50).padStart(6),
      String(row.p99).padStart(6),
      row.ratio.toFixed(2).padStart(6),
      row.cpuRatio.toFixed(2).padStart(6),
      row.bad > 0 ? `  (${row.bad} bad: not a measurement)` : '',
    ].join(' '),
  );
  const head = ['', '   c', '   req/s', ' CPU us', ' p50ms', ' p99ms', ' ratio', ' (cpu)'];
  return [`\n## ${title}`, head[0].padEnd(44) + ' ' + head.slice(1).join(' '), ...lines].join('\n');
};
