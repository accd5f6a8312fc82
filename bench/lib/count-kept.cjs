// `bench -- counts` loads this into the service. The first SIGUSR2 collects all garbage. The second one prints the bytes that
// minor collections leave of the calls in between.
let before;
process.on('SIGUSR2', () => {
  if (before === undefined) {
    globalThis.gc(); // It moves what is alive to the old generation, as the first collection under load does.
    before = process.memoryUsage().heapUsed;
    return;
  }
  for (let times = 0; times < 2; times += 1) globalThis.gc({ type: 'minor' });
  process.stderr.write(`counts ${JSON.stringify({ kept: process.memoryUsage().heapUsed - before })}\n`);
  before = undefined;
});
