// Finds wording that CONTRIBUTING.md advises against, in comments, messages, names and Markdown: `node tools/words.mjs`.
// `--list src/work/jobs` prints each finding below a path. `--write` lowers the budgets of tools/words-budget.json to the
// present counts. A folder must not exceed its budget, so the numbers can only fall.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const HERE = join(import.meta.dirname, '..');
const [mode, path = ''] = process.argv.slice(2);
/** The folder that is checked; a test checks another one. */
const ROOT = mode === '--of' ? path : HERE;
const BUDGET = join(HERE, 'tools', 'words-budget.json');
const LONG_WORDS_MIN = 26;

const CHECKED =
  /^(src|test|clients|docs|tools|deploy|migrations|bench|examples)\/.*\.(ts|tsx|mjs|cjs|md|py|sh|sql|yaml|conf|ini|service|example)$|^(README|CONTRIBUTING|CHANGELOG|SECURITY)\.md$|^deploy\/(Dockerfile|Caddyfile)$|^\.env\.example$/;
const EXCLUDED = [
  /^docs\/openapi\/|api\.types\.ts$/, // Generated from the code, whose words are checked there.
  /^docs\/table-rules\.md$/, // Generated from the database.
  /^tools\/(words\.mjs|seeded-bugs\/)|^test\/deploy\/pages\.spec/, // These files quote the words that they search for.
];
/** Words to avoid, each with a replacement. `ALLOWED` has the correct uses. */
const HABITS = [
  [/\b(stands|stood)\b/i, 'is, has, contains'],
  [/\b(tell|tells|told|telling)\b/i, 'reports, notifies, shows'],
  [/\b(whoever|whomever)\b/i, 'the caller, the process, the one that'],
  [/\b(give|gives|given|gave|giving) (it |them |money |that )?back\b/i, 'returns, refunds, releases'],
  [/\b(has|have|had) to be had\b|\bto be had\b|\bcan be had\b/i, 'is available, can be read'],
  [/\b(lane|lanes|bell|door|doors|valve|deed|deeds|story|news)\b/i, 'the usual term of the field'],
  [/\bby then\b/i, 'a point in time'],
  [/\banew\b/i, 'again'],
  [/\bcan not\b/i, 'cannot'],
  [/\b(hear|hears|heard)\b/i, 'receives, is notified'],
  [/\bstand in\b/i, 'are in, lists'],
  [/\bstops? the start\b/i, 'the service does not start'],
  [/\b(is|are|was|were|be) (also )?an? [45]\d\d\b/i, 'answers 503, gets 400'],
  [/\bby use\b/i, 'by usage'],
  [/\bsurely\b/i, 'certainly; it is certain that'],
  [/\bknows? of no\b/i, 'does not know'],
  [/\bbelieves? the newer\b/i, 'applies, trusts'],
  [/\bis what such\b/i, 'begin with the acting subject'],
  [/\bin (its|their|his) turn\b|\b(has|have|had) (its|their) turn\b/i, 'one after the other, a slot'],
];
/** Words of ours that a reader of pages and messages can't know. In the code they have one meaning. */
const HABITS_OF_TEXTS = [
  [/\bunproven (caller|body|bodies)\b/i, 'a caller without a valid credential'],
  [
    /\b(key|session|token|quote|passkey|invite|link)s? (has |have )?(ends|end|ended)\b/i,
    'expires, is deleted, is revoked',
  ],
];
const SUBJECT = [/^(What|Who|Whose|Whom)\b/, 'begin with the acting subject'];
/** Words to avoid in names of code: `toldJob` and `TOLD_JOB` contain "told". */
const NAME_PARTS = new Set(
  'tell tells told telling unsaid bring hear hears heard whoever lane lanes bell door doors valve deed deeds news anew dear'.split(
    ' ',
  ),
);
/** Correct uses of a word above, each with its reason. */
const ALLOWED = [
  /stands for|standing `|"standing"/i, // An abbreviation may stand for something, and `standing` is a field of the API.
  /`[^`]*`/g, // Code in backticks is no prose.
];

const folderOf = (name) => {
  const [top, second] = name.split('/');
  return second !== undefined && name.split('/').length > 2 ? `${top}/${second}` : top;
};

const proseOfMarkdown = (text) =>
  text
    .replaceAll(/^```[\s\S]*?^```/gm, '\n\n')
    .replaceAll(/<!-- before -->[\s\S]*?<!-- \/before -->/g, '\n\n')
    .split(/\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) ?)/)
    .flatMap((block) => (block.trimStart().startsWith('|') ? block.split('|') : [block]))
    .map((block) => block.replaceAll(/\]\([^)]*\)/g, ']').replace(/^\s*(?:[-*#>]+|\d+\.)\s*/, ''));

const COMMENT = /\/\*\*?([\s\S]*?)\*\/|(?:^|\s)\/\/ ?([^\n]*(?:\n\s*\/\/ ?[^\n]*)*)/g;
const STRING = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;
const SQL = /\b(select|insert into|update|delete from|create (table|trigger|function|index)|alter table)\b/;

const proseOfCode = (text) => {
  const comments = [...text.matchAll(COMMENT)].map(([, block, line]) =>
    (block ?? line).replaceAll(/\n\s*(\*|\/\/) ?/g, '\n').trim(),
  );
  const messages = [...text.replaceAll(COMMENT, ' ').matchAll(STRING)]
    .map(([, one, two, three]) => one ?? two ?? three)
    .filter((message) => / \S+ /.test(message) && !SQL.test(message));
  return [comments, messages];
};

/** The names in code that contain a word of `NAME_PARTS`. Names of the database (`told_micro`) would need a migration. */
const namesIn = (text) => {
  const code = text.replaceAll(COMMENT, ' ').replaceAll(STRING, ' ');
  const names = new Set(code.match(/[A-Za-z_$][\w$]*/g));
  return [...names].filter(
    (name) =>
      !/^[a-z]+(_[a-z]+)+$/.test(name) &&
      (name.match(/[A-Z]?[a-z]+|[A-Z]+/g) ?? []).some((part) => NAME_PARTS.has(part.toLowerCase())),
  );
};

/** Comments of shell, YAML and the files of nginx, systemd and Docker. */
const proseOfShell = (text) =>
  text
    .split('\n')
    .map((line) => /(?:^|\s)[#;]+ (.*)$/.exec(line)?.[1] ?? '')
    .join('\n')
    .split(/\n\s*\n/);

const proseOfPython = (text) =>
  [...text.matchAll(/"""([\s\S]*?)"""|# ([^\n]*)/g)].map(([, doc, line]) => doc ?? line);

const sentencesOf = (block) =>
  block
    .replaceAll(/\s+/g, ' ')
    .split(/(?<=[.!?:]|[.!?]["'`)*_]{1,2})\s+(?=[A-Z0-9`"'(_*[]|x402)/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');

const wordCount = (sentence) => sentence.split(/\s+/).filter((word) => /[A-Za-z0-9]/.test(word)).length;

const findingsIn = (name) => {
  const text = readFileSync(join(ROOT, name), 'utf8');
  let [full, messages] = [[], []];
  if (name.endsWith('.md')) full = proseOfMarkdown(text);
  else if (name.endsWith('.py')) full = proseOfPython(text);
  else if (/\.(ts|tsx|mjs|cjs)$/.test(name)) [full, messages] = proseOfCode(text);
  else if (name.endsWith('.sql')) full = proseOfShell(text.replaceAll(/^(\s*)--/gm, '$1#'));
  else full = proseOfShell(text);
  const findings = /\.(ts|tsx|mjs|cjs)$/.test(name)
    ? namesIn(text).map((one) => ({ name, kind: 'names', note: `"${one}"`, sentence: 'Say what it does.' }))
    : [];
  const look = (sentence, isFull) => {
    const isText = name.endsWith('.md') || (!isFull && name.startsWith('src/'));
    const plain = ALLOWED.reduce(
      (rest, allowed) => rest.replaceAll(new RegExp(allowed, 'gi'), ' code '),
      sentence,
    );
    for (const [habit, instead] of isText ? [...HABITS, ...HABITS_OF_TEXTS] : HABITS) {
      const word = habit.exec(plain)?.[0];
      if (word !== undefined)
        findings.push({ name, kind: 'words', note: `"${word}" (${instead})`, sentence });
    }
    // A heading or the header row of a table needs no verb.
    if (
      isFull &&
      SUBJECT[0].test(plain) &&
      !sentence.endsWith('?') &&
      (!name.endsWith('.md') || sentence.endsWith('.'))
    )
      findings.push({
        name,
        kind: 'words',
        note: `"${plain.split(' ', 1)[0]}" as the subject (${SUBJECT[1]})`,
        sentence,
      });
    const words = wordCount(sentence);
    if (isFull && words >= LONG_WORDS_MIN)
      findings.push({ name, kind: 'long', note: `${words} words`, sentence });
  };
  for (const block of full) for (const sentence of sentencesOf(block)) look(sentence, true);
  for (const message of messages) for (const sentence of sentencesOf(message)) look(sentence, false);
  return findings;
};

const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
})
  .toString()
  .split('\0')
  .filter(
    (name) => CHECKED.test(name) && !EXCLUDED.some((one) => one.test(name)) && existsSync(join(ROOT, name)),
  );

const findings = files.flatMap(findingsIn);
const counts = {};
for (const { name, kind } of findings) {
  const folder = (counts[folderOf(name)] ??= { words: 0, long: 0, names: 0 });
  folder[kind] += 1;
}

if (mode === '--list') {
  for (const { name, kind, note, sentence } of findings)
    if (name.startsWith(path)) console.log(`${name}: ${kind}: ${note}\n  ${sentence}`);
} else if (mode === '--of') {
  for (const { name, kind, note, sentence } of findings)
    console.log(`${name}: ${kind}: ${note}\n  ${sentence}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
} else if (mode === '--write') {
  const sorted = Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(BUDGET, `${JSON.stringify(sorted, null, 2)}\n`);
} else {
  const budget = JSON.parse(readFileSync(BUDGET, 'utf8'));
  const over = Object.entries(counts).flatMap(([folder, found]) =>
    Object.entries(found)
      .filter(([kind, count]) => count > (budget[folder]?.[kind] ?? 0))
      .map(([kind, count]) => `${folder}: ${count} ${kind}, at most ${budget[folder]?.[kind] ?? 0}`),
  );
  for (const line of over) console.log(`${line}; see node tools/words.mjs --list ${line.split(':', 1)[0]}`);
  process.exitCode = over.length === 0 ? 0 : 1;
}
