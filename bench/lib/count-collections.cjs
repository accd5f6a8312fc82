// Loaded into the service (`node -r`): after each SIGUSR2 it counts the collections of garbage of three seconds.
const { PerformanceObserver, constants } = require('node:perf_hooks');

const COUNTED_MS = 3_000;
let full = 0;
new PerformanceObserver((list) => {
  full += list
    .getEntries()
    .filter(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR).length;
}).observe({ entryTypes: ['gc'] });

process.on('SIGUSR2', () => {
  full = 0;
  setTimeout(() => console.error(`FULL COLLECTIONS ${full}`), COUNTED_MS).unref();
});
