import { basename, relative } from 'node:path';

/** A command of this program as its user types it: from the source, from its one file, or installed. */
export const commandOf = (command: string, script = process.argv[1] ?? ''): string => {
  if (script.endsWith('.ts')) return command === 'migrate' ? 'npm run migrate' : `npm run -s ${command} --`;
  return basename(script) === 'service.js'
    ? `node ${relative('', script)} ${command}`
    : `lamppost-service ${command}`;
};
