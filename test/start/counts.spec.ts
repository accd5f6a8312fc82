import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '..', '..');
const TOLERANCE = 0.25;
/** Small counts change by one or two, because background work of the service falls into the calls. */
const SLACK = 3;
const EXACT = ['statements', 'bytes of headers'];
const RUN_MS = 240_000;

type Counts = Record<string, Record<string, number>>;

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The rows of the first table in a text whose first cell is `a call`. */
const countsIn = (text: string): Counts => {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => /^\| a call +\| statements/.test(line));
  const columns = cellsOf(lines[first]!).slice(1);
  const counts: Counts = {};
  for (const line of lines.slice(first + 2)) {
    if (!line.startsWith('|')) break;
    const [kind, ...cells] = cellsOf(line);
    counts[kind!] = Object.fromEntries(columns.map((column, at) => [column, Number(cells[at])]));
  }
  return counts;
};

describe('what a call makes the service do', () => {
  it(
    'is what docs/performance.md says',
    async () => {
      const { stdout } = await promisify(execFile)(process.execPath, ['bench/run.mjs', 'counts'], {
        cwd: ROOT,
      });
      const now = countsIn(stdout);
      const documented = countsIn(readFileSync(join(ROOT, 'docs', 'performance.md'), 'utf8'));

      expect(Object.keys(now)).toEqual(Object.keys(documented));
      const raised = Object.entries(documented).flatMap(([kind, counts]) =>
        Object.entries(counts).flatMap(([column, count]) => {
          const found = now[kind]![column]!;
          const isAsWritten = EXACT.includes(column)
            ? found === count
            : Math.abs(found - count) <= SLACK + count * TOLERANCE;
          return isAsWritten ? [] : `${kind}: ${found} ${column}, and the page says ${count}`;
        }),
      );
      expect(raised).toEqual([]);
    },
    RUN_MS,
  );
});
