// `bench -- structure` loads this into the service. Each SIGUSR2 prints how often each function ran since the one before.
const { Session } = require('node:inspector');

const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

const OURS = /\/dist\/(src\/.*)\.js$/;

process.on('SIGUSR2', () =>
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const counts = result.flatMap(({ url, functions }) => {
      const [, file] = OURS.exec(url) ?? [];
      if (file === undefined) return [];
      return functions.map(({ ranges: [{ startOffset, count }] }) => [`${file}.ts:${startOffset}`, count]);
    });
    process.stderr.write(`counts ${JSON.stringify(Object.fromEntries(counts))}\n`);
  }),
);
