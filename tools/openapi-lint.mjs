// Runs two validators without common code, because each finds errors that the other misses. One finds a wrong
// `nullable`, the other finds missing targets of references.
import { readFileSync } from 'node:fs';

import { lint, loadConfig } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';

const CRAWLERS = 'docs/openapi/crawlers.json';
const DOCUMENTS = ['docs/openapi/agent.json', 'docs/openapi/account.json', CRAWLERS];
const OPERATIONS_MAX = 40;

const found = [];

for (const path of DOCUMENTS) {
  const document = JSON.parse(readFileSync(path, 'utf8'));
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  if (!valid) found.push(`${path}: ${JSON.stringify(errors).slice(0, 2_000)}`);
}

const crawlers = JSON.parse(readFileSync(CRAWLERS, 'utf8'));
const operations = Object.values(crawlers.paths).flatMap((item) => Object.keys(item)).length;
if (operations > OPERATIONS_MAX) {
  found.push(`${CRAWLERS} has ${operations} operations; crawlers read at most ${OPERATIONS_MAX}`);
}

const config = await loadConfig({ configPath: 'redocly.yaml' });
for (const path of DOCUMENTS) {
  for (const { ruleId, message, location } of await lint({ ref: path, config })) {
    found.push(`${path} ${location[0]?.pointer ?? ''}: ${message} (${ruleId})`);
  }
}

for (const problem of found) console.error(problem);
console.log(
  found.length === 0
    ? `The documents are valid under two validators; crawlers get ${operations} operations.`
    : `The documents have faults.`,
);
process.exit(found.length === 0 ? 0 : 1);
