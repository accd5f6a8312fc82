// Code in src/platform names no feature: neither an address of a route nor a feature's own word.
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

const PLATFORM = join('src', 'platform');
// `${…}/v1/traces` is an address of OpenTelemetry’s protocol. The root of the API, `/v1/`, is no feature.
const ADDRESS = /(?<!\})\/v1(?:beta)?\/[a-z:{]|(?<=['"`(])\/(?:mcp|media|guides|studio|\.well-known)\b/g;
const WORDS =
  'webhook x402 mcp openai anthropic gemini receipt invoice studio oauth passkey voucher organisation transparency'.split(
    ' ',
  );
/** A word alone, as `webhooks`, or as a part of a name: `webhookUrl`, `newWebhook`, `webhook_url`, `WEBHOOK_URL`. */
const formsOf = (word) => {
  const capital = word[0].toUpperCase() + word.slice(1);
  const alone = `(?<![A-Za-z])(?:${word}|${capital})s?(?![a-z])`;
  return `${alone}|(?<=[a-z0-9])${capital}s?(?![a-z])|(?<![A-Za-z])${word.toUpperCase()}S?(?![A-Za-z])`;
};
// Names of makers, such as OpenAI, have capitals within.
const WORD = new RegExp(`${WORDS.map(formsOf).join('|')}|OpenAI|OAuth`, 'g');

const root = process.argv[2] ?? '.';
const files = await readdir(join(root, PLATFORM), { recursive: true });
const found = files
  .map((file) => join(PLATFORM, file))
  .filter((file) => file.endsWith('.ts'))
  .flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8');
    return [ADDRESS, WORD].flatMap((pattern) =>
      [...text.matchAll(pattern)].map(({ index, 0: words }) => {
        const line = text.slice(0, index).split('\n').length;
        return `${file}:${line} names a feature (${words}); let the feature declare it.`;
      }),
    );
  });
for (const line of found) console.log(line);
process.exit(found.length === 0 ? 0 : 1);
