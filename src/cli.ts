import 'reflect-metadata';

import { parseArgs } from 'node:util';

import { similarTo } from './kernel/nearest';
import { packageVersion } from './platform/config/package-version';
import { setVariableOfProcess } from './settings';

/** The commands. Each loads only its own code, and reads the arguments after its name. */
const COMMANDS: Readonly<Record<string, () => unknown>> = {
  start: () => module.require('./main'),
  migrate: () => module.require('./migrate'),
  doctor: () => module.require('./faces/doctor/doctor'),
  models: () => module.require('./models-command'),
  recover: () => module.require('./recover'),
};

const HELP = `Usage: lamppost-service [command] [options]

Commands
  start      Starts the service (the default).
  migrate    Brings the database up to date and ends.
  doctor     Examines the settings, and the service if it runs. --json for programs.
  models     Lists all models with cost and price, and changes how they are sold. --help says more.
  recover    Finds payments that a restored database has lost. --help says more.

Options of start
  --port N   The port to listen on; the same as PORT=N.
  --help, --version

Settings are environment variables, or lines of the file .env in the current folder. Without any, the service starts
with a database of its own below DATA_DIR (.data), sandbox providers and test money.
`;

const fail = (message: string): never => {
  process.stderr.write(`${message} Run lamppost-service --help.\n`);
  process.exit(2);
};

const optionsOf = (words: string[]) => {
  try {
    return parseArgs({
      args: words,
      options: { port: { type: 'string' }, help: { type: 'boolean' }, version: { type: 'boolean' } },
    }).values;
  } catch (error) {
    return fail((error as Error).message.replace(/\s+$/, '').replace(/[^.]$/, '$&.'));
  }
};

const start = (words: string[]): void => {
  const { port, help = false, version = false } = optionsOf(words);
  if (help) process.stdout.write(HELP);
  else if (version) process.stdout.write(`${packageVersion()}\n`);
  else {
    if (port !== undefined) setVariableOfProcess('PORT', port);
    COMMANDS['start']!();
  }
};

const [word = '', ...rest] = process.argv.slice(2);
if (word === '' || word.startsWith('-')) start(process.argv.slice(2));
else if (word === 'start') start(rest);
else if (COMMANDS[word] !== undefined) {
  process.argv.splice(2, 1);
  COMMANDS[word]();
} else {
  const meant = similarTo(word, Object.keys(COMMANDS));
  fail(`There is no command "${word}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`);
}
