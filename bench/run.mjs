// npm run bench -- scenario … [--rounds 5] [--seconds 2] [--connections 1,16,64]
// Without a scenario it lists them all.
// Shows ratios of medians from interleaved rounds. A single number from one machine means little. Run
// `npm run build` first.
import { readdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { parseArgs } from 'node:util';

const refuse = (problem) => {
  console.error(`${problem}\nnpm run bench -- scenario … [--rounds 5] [--seconds 2] [--connections 1,16,64]`);
  process.exit(2);
};

const read = () => {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: 'string', default: '5' },
        seconds: { type: 'string', default: '2' },
        connections: { type: 'string', default: '1,16,64' },
      },
    });
  } catch (error) {
    return refuse(error.message);
  }
};
const { values, positionals: wanted } = read();

const numberOf = (option, text) => {
  const number = Number(text);
  return number > 0 ? number : refuse(`--${option} ${text}: it must be above 0.`);
};
const options = {
  rounds: numberOf('rounds', values.rounds),
  seconds: numberOf('seconds', values.seconds),
  connections: values.connections.split(',').map((text) => numberOf('connections', text)),
};
const known = readdirSync(new URL('scenarios/', import.meta.url)).map((file) => file.replace(/\.mjs$/, ''));
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) refuse(`No scenario ${unknown.join(', ')}; there are ${known.join(', ')}.`);
if (wanted.length === 0) {
  for (const name of known) {
    const { about } = await import(`./scenarios/${name}.mjs`);
    console.log(`${name.padEnd(14)} ${about}`);
  }
  console.log('\nnpm run bench -- scenario … runs them.');
}
for (const name of wanted) {
  const { about, run } = await import(`./scenarios/${name}.mjs`);
  console.log(`\n# ${name}: ${about}`);
  await run(options);
  console.log(
    `\nload at end: ${loadavg()[0].toFixed(1)}, for ${availableParallelism()} cores (if the load is well above the cores, run it again)`,
  );
}
