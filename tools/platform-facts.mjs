// Code in src/platform names no feature: neither an address of a route nor a feature's own word.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const PLATFORM = join('src', 'platform');
const GROUPS = ['models', 'people', 'money', 'work', 'notices', 'faces'];
// `${…}/v1/traces` is an address of OpenTelemetry’s protocol. The root of the API, `/v1/`, is no feature.
const ADDRESS = /(?<!\})\/v1(?:beta)?\/[a-z:{]|(?<=['"`(])\/(?:mcp|media|guides|studio|\.well-known)\b/g;
/** Words of features that are not the name of a folder. */
const MORE = ['invoice', 'studio', 'voucher'];

/**
 * The names of folders that are also other words, with the files of the platform that may use them, and the reason. A
 * spec may use such a word as an example.
 */
const ALLOWED = [
  ['request response route message http', /./, 'words of HTTP and of Nest'],
  ['listener event health', /./, 'words of Node, and of the checks of a process'],
  ['key text call media network', /./, 'plain words: of a map, a body, a function, files and addresses'],
  ['provider', /./, 'a word of Nest; settings and errors also mean a party outside'],
  ['account', /^database\//, 'the account of the operating system that runs Postgres'],
  ['account', /^signatures\//, "viem's name of a field"],
  ['account', /^openapi\/audience/, 'the name of a published document'],
  ['job', /^(queue\/|telemetry\/log)/, 'a job of BullMQ, and the jobs that fail'],
  ['sweep', /^(queue|media|storage)\//, 'a scheduled task that works through rows or files'],
  ['channel', /^(database|media|threads)\//, 'of notifications of Postgres, of a picture, and of a process'],
  ['quote', /^(http\/body|media)\//, 'the character'],
  ['discovery', /^(http|queue)\//, "Nest's DiscoveryService"],
  ['batch', /^(database|queue)\//, 'rows that one statement writes'],
  ['listed', /^(database|config|http\/routes)\//, 'the plain word'],
  ['wallet', /^(signatures|http\/routes\/fields)/, "the kernel's address of a wallet, and its signature"],
  ['model', /^(credentials\/|config\/settings\.)/, 'a manifest names the model, and a party runs models'],
  ['price', /^http\//, 'the form of a body that features can price; a guard refuses an unpriced call'],
  [
    'sandbox',
    /^(config\/|http\/answers\/blob)/,
    'no real money may be mixed with real vendors; a policy of browsers',
  ],
  ['api-key', /^telemetry\/scrub/, 'the usual name of a header with a secret'],
  ['choice', /^(config|telemetry|storage|http\/routes)\//, 'the decorator of a variable or a field'],
  ['policy', /^http\/answers\//, 'headers of browsers, and a kind of error'],
  ['policy', /^config\/party\./, 'a party can screen content'],
  ['identity', /^http\//, 'the encoding without compression, and what makes two calls equal'],
  [
    'proof',
    /^(telemetry\/metrics-access|config\/published-keys|http\/routes\/route|media\/)/,
    'the plain word',
  ],
  ['challenge', /^http\/(limits|routes)\//, 'a limit of the platform: calls whose caller is not proven yet'],
  ['reset', /^(database|telemetry|http\/limits|queue)\//, 'a header of limits, and the plain word'],
  ['compatible', /^(storage|http\/outgoing)\//, 'stores like S3, and a form of IPv4 addresses'],
  ['console', /^(database|queue|storage)\//, 'the terminal'],
  ['alert', /^mail\/mail\.settings/, 'an example of an address'],
  ['admin', /^database\/sql-state/, "Postgres's name of a code"],
  ['tracing', /^telemetry\//, 'OpenTelemetry'],
  ['audio', /^media\/audio-probe/, 'a kind of medium'],
  ['generation', /^threads\//, "V8's name of a part of memory"],
  ['routing', /^http\/outgoing\//, 'the plain word, for addresses'],
  ['counting charge credit completion', /\.spec\.ts$/, 'examples in specs'],
];

/** The name of a folder in the singular, such as `batch` for `batches`. */
const wordOf = (name) => name.replace(/(?<=ch)es$|(?<!s)s$/, '');
const capital = (word) => word[0].toUpperCase() + word.slice(1);

/** A word alone, as `webhooks`, or as a part of a name: `webhookUrl`, `newWebhook`, `webhook_url`, `WEBHOOK_URL`. */
const formOf = (word) => {
  const ending = word.endsWith('y') ? '' : '(?:e?s)?';
  const name = word.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase());
  const alone = `(?<![A-Za-z])(?:${word}|${name}|${capital(name)})${ending}(?![a-z])`;
  const constant = `(?<![A-Za-z])${word.toUpperCase().replaceAll('-', '_')}(?:E?S)?(?![A-Za-z])`;
  return new RegExp(`${alone}|(?<=[a-z0-9])${capital(name)}${ending}(?![a-z])|${constant}`, 'g');
};

// The words are those of this repository, also if the files of another folder are checked.
const source = join(import.meta.dirname, '..', 'src');
const folders = await Promise.all(
  GROUPS.map((group) => readdir(join(source, group), { recursive: true, withFileTypes: true })),
);
const names = folders.flat().flatMap((entry) => (entry.isDirectory() ? [wordOf(entry.name)] : []));
const words = [...new Set([...names, ...MORE])].map((word) => ({
  word,
  form: formOf(word),
  allowed: ALLOWED.filter(([some]) => some.split(' ').includes(word)).map(([, where]) => where),
}));

const root = process.argv[2] ?? '.';
const files = (await readdir(join(root, PLATFORM), { recursive: true }))
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts'));

const formsIn = (file) =>
  words
    .filter(({ allowed }) =>
      file.endsWith('.spec.ts') ? allowed.length === 0 : !allowed.some((where) => where.test(file)),
    )
    .map(({ form }) => form);

const found = files.flatMap((file) => {
  const text = readFileSync(join(root, PLATFORM, file), 'utf8');
  // Names of makers, such as OpenAI, have capitals within.
  return [ADDRESS, /OpenAI|OAuth/g, ...formsIn(file)].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index, 0: said }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${join(PLATFORM, file)}:${line} names a feature (${said}); let the feature declare it. A plain word needs a line in ALLOWED.`;
    }),
  );
});
// An allowed use that nothing needs would hide the next fact of a feature.
const isNeeded = (word, where) =>
  files.some(
    (file) => where.test(file) && readFileSync(join(root, PLATFORM, file), 'utf8').search(formOf(word)) >= 0,
  );
if (root === '.')
  for (const [some, where] of ALLOWED)
    for (const word of some.split(' '))
      if (!names.includes(word) || !isNeeded(word, where))
        found.push(`tools/platform-facts.mjs allows "${word}" in ${where} and nothing needs it; remove it.`);

for (const line of found) console.log(line);
process.exit(found.length === 0 ? 0 : 1);
