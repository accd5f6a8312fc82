// Only code in src/money/billing/ledger/ may write the ledger’s tables.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const ROOM = join('src', 'money', 'billing', 'ledger');
const WRITES =
  /\b(?:insert\s+into|update|delete\s+from|merge\s+into|truncate|copy)\s+(?:table\s+|only\s+)*(?:"?\w+"?\.)?"?ledger_(?:account|entry)\b/gi;

const root = process.argv[2] ?? '.';
const files = await readdir(join(root, 'src'), { recursive: true });
const found = files
  .map((file) => join('src', file))
  .filter((file) => file.endsWith('.ts') && !file.startsWith(ROOM))
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [...text.matchAll(WRITES)].map(({ index, 0: words }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${file}:${line} writes the ledger (${words.replace(/\s+/g, ' ')}); only ${ROOM} may.`;
    });
  });
for (const line of found) console.log(line);
process.exit(found.length === 0 ? 0 : 1);
