// `bench -- counts` loads this into the service. The first SIGUSR2 collects all garbage. The second one prints the bytes that
// minor collections leave of the calls in between.
let before;
process.on('SIGUSR2', () => {
  const type = before === undefined ? 'major' : 'minor';
  for (let times = 0; times < 2; times += 1) globalThis.gc({ type });
  const { heapUsed } = process.memoryUsage();
  if (before !== undefined) process.stderr.write(`counts ${JSON.stringify({ kept: heapUsed - before })}\n`);
  before = before === undefined ? heapUsed : undefined;
});
