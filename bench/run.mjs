// npm run bench -- [scenario …] [--rounds 5] [--seconds 2] [--connections 1,16,64]
// Shows ratios of medians from interleaved rounds. A single number from one machine means little. Run
// `npm run build` first.
import { readdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    connections: { type: 'string', default: '1,16,64' },
  },
});
const options = {
  rounds: Number(values.rounds),
  seconds: Number(values.seconds),
  connections: values.connections.split(',').map(Number),
};
const known = readdirSync(new URL('scenarios/', import.meta.url)).map((file) => file.replace(/\.mjs$/, ''));
const wanted = positionals.length > 0 ? positionals : known;
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No scenario ${unknown.join(', ')}; there are ${known.join(', ')}.`);
  process.exit(2);
}
for (const name of wanted) {
  const { about, run } = await import(`./scenarios/${name}.mjs`);
  console.log(`\n# ${name}: ${about}`);
  await run(options);
  console.log(
    `\nload at end: ${loadavg()[0].toFixed(1)}, for ${availableParallelism()} cores (if the load is well above the cores, run it again)`,
  );
}
