// An error event without a listener ends the process. This check refuses code of src that leaves a stream without a
// listener for a part of its life.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const WRAPPER = 'use withErrorListener of src/kernel/with-error-listener';
const RULES = [
  // A listener of one event is gone when the stream is destroyed and emits again.
  [
    /\.(?:once|prependOnceListener)\(\s*'error'/g,
    'listens for one error only; use `on`, so that later errors have a listener too',
  ],
  [/\.removeAllListeners\((?!'error'\)\.on\('error')(?:'error'|\))/g, 'removes the listener of errors'],
  // Each stream that this code makes is wrapped, or a loop reads it at once.
  [
    /(?<!withErrorListener\(\s*)\bnew (?:Transform|PassThrough|Duplex|Writable|Readable)\(/g,
    `makes a stream; ${WRAPPER}`,
  ],
  [
    /(?<!withErrorListener\(\s*(?:\w+\.)?|for await \(const \w+ of )\bcreate(?:Read|Write)Stream\(/g,
    `opens a file as a stream; ${WRAPPER}`,
  ],
  [/(?<!withErrorListener\(\s*)\bspawn\(/g, `starts a process; ${WRAPPER}`],
  [/(?<!withErrorListener\(\s*)\bnew (?:Worker|Socket)\(/g, `starts a thread or a socket; ${WRAPPER}`],
];

const root = process.argv[2] ?? '.';
const files = await readdir(join(root, 'src'), { recursive: true });
const found = files
  .map((file) => join('src', file))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.spec.ts'))
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return RULES.flatMap(([rule, fault]) =>
      [...text.matchAll(rule)].map(({ index }) => {
        const line = text.slice(0, index).split('\n').length;
        return `${file}:${line} ${fault}.`;
      }),
    );
  });
for (const line of found) console.log(line);
process.exit(found.length === 0 ? 0 : 1);
