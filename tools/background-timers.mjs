// Repeated work uses src/platform/background, which logs, pauses and retries. This check refuses every other timer that
// repeats work or starts a promise.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const EXEMPT = [join('src', 'platform', 'background')];
/** Timers of one call. They end with the call, and run no code that can fail. */
const OF_ONE_CALL = [
  join('src', 'main.ts'), // It checks whether npm has exited.
  join('src', 'faces', 'mcp', 'tool-runner.ts'), // It reports the progress of one tool call.
  join('src', 'platform', 'http', 'outgoing', 'streamed-body.ts'), // It ends one silent answer.
  join('src', 'models', 'providers', 'media', 'held-pictures.ts'), // It renews the row of one picture while it is made.
];
const ASYNC = /\bsetTimeout\(\s*(?:async\b|\(\)\s*=>\s*void\b)/g;
const REPEATS = /\bsetInterval\(/g;

const root = process.argv[2] ?? '.';
const files = await readdir(join(root, 'src'), { recursive: true });
const found = files
  .map((file) => join('src', file))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.spec.ts'))
  .filter((file) => !EXEMPT.some((folder) => file.startsWith(folder)))
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    const rules = OF_ONE_CALL.includes(file) ? [ASYNC] : [ASYNC, REPEATS];
    return rules.flatMap((rule) =>
      [...text.matchAll(rule)].map(({ index }) => {
        const line = text.slice(0, index).split('\n').length;
        return `${file}:${line} sets a timer for background work; use BackgroundWork of src/platform/background.`;
      }),
    );
  });
for (const line of found) console.log(line);
process.exit(found.length === 0 ? 0 : 1);
