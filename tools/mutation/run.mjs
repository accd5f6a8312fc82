// `npm run mutation` mutates the pure files of money, keys and sign-ins, and runs their unit specs against each mutant.
// `npm run mutation -- keys quote-lock` does so only for files with one of these words in their path. A mutant survives
// if no test checks its line; docs/mutation.md lists the survivors with the reasons. Statements of money need a
// database, so their mutants are written by hand (`npm run seeded-bugs`).
import { readFileSync } from 'node:fs';

import { installApart } from '../install-apart.mjs';

/** The files to mutate, with the names of the specs in their folders. The default is the file's own spec. */
const FILES = {
  'src/kernel/money': [],
  'src/kernel/nearest': [],
  'src/kernel/slots': [],
  'src/kernel/wallet-address': [],
  'src/models/catalog/catalog-file': [],
  'src/models/catalog/chat-price-calculator': [],
  'src/models/catalog/media-price-calculator': [],
  'src/models/catalog/token-estimate': [],
  'src/models/catalog/volume-discount': [],
  'src/money/billing/calls/answer-vault': [],
  'src/platform/config/sealed-box': [],
  'src/money/billing/ledger/account-id': [],
  'src/money/billing/prices/quote-lock': [],
  'src/money/billing/receipts/receipt-signer': [],
  'src/money/billing/rails/x402/proof/authorization-digest': [],
  'src/money/billing/rails/x402/challenge/body-outline': [],
  'src/money/billing/rails/x402/proof/payment-fault-messages': [],
  'src/money/billing/rails/x402/proof/payment-header': [],
  'src/money/billing/rails/x402/challenge/payment-quote': [],
  'src/money/billing/rails/x402/challenge/requirements': [],
  'src/people/identity/sign-in-header': [],
  'src/people/identity/sign-in-message': ['sign-in-header'],
  'src/people/keys/key-format': [],
  'src/people/keys/key-header': [],
};
const LEAST_PERCENT = 85;
const SURVIVED = ['Survived', 'NoCoverage'];
const KILLED = ['Killed', 'Timeout'];

const { jest } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const unit = jest.projects.find(({ displayName }) => displayName === 'unit');

const optionsFor = (file, specs) => ({
  mutate: [`${file}.ts`],
  testRunner: 'jest',
  plugins: [
    import.meta.resolve('@stryker-mutator/jest-runner'),
    new URL('messages.mjs', import.meta.url).pathname,
  ],
  ignorers: ['messages'],
  jest: {
    projectType: 'custom',
    // The runner merges this with package.json. Without the empty list, it would run every project of package.json.
    config: {
      ...unit,
      // Stryker replaces this by its own environment, which records the code that each spec reaches.
      testEnvironment: 'node',
      runtime: undefined,
      projects: [],
      roots: ['<rootDir>/src'],
      watchman: false,
      testMatch: [file, ...specs.map((spec) => file.replace(/[^/]+$/, spec))].map(
        (path) => `<rootDir>/${path}.spec.ts`,
      ),
    },
    // The specs are listed above, because finding them by their imports takes longer than running them.
    enableFindRelatedTests: false,
  },
  coverageAnalysis: 'perTest',
  // Only an endless loop may count as detected by a timeout, because a busy machine proves nothing.
  timeoutMS: 60_000,
  concurrency: 1,
  reporters: [],
  // The type of the level is an enum that does not exist at run time, so this sets the text.
  ...Object.fromEntries([['logLevel', 'error']]),
  tempDirName: '.mutation',
  disableTypeChecks: false,
  ignorePatterns: ['*', '!src/**', '!tools/jest/filter.cjs', '!package.json', '!tsconfig.json', '!.swcrc'],
});

const lineOf = ({ location, mutatorName, replacement, status }) =>
  `        line ${location.start.line}, ${mutatorName}, ${status}: ${replacement.replaceAll(/\s+/g, ' ')}`;

const missing = installApart('tools/mutation');
if (missing !== undefined) {
  console.error(missing);
  process.exit(1);
}
const { Stryker } = await import('@stryker-mutator/core');

const words = process.argv.slice(2);
const chosen = Object.entries(FILES).filter(
  ([file]) => words.length === 0 || words.some((word) => file.includes(word)),
);
let low = 0;
for (const [file, specs] of chosen) {
  const results = await new Stryker(optionsFor(file, specs)).runMutationTest();
  const killed = results.filter(({ status }) => KILLED.includes(status)).length;
  const survivors = results.filter(({ status }) => SURVIVED.includes(status));
  const percent = (100 * killed) / Math.max(1, killed + survivors.length);
  if (percent < LEAST_PERCENT) low += 1;
  const endless = results.filter(({ status }) => status === 'Timeout').length;
  console.log(
    `${percent.toFixed(1).padStart(5)} % ${killed} of ${killed + survivors.length} ${file}.ts` +
      (endless === 0 ? '' : ` (${endless} never ended)`),
  );
  for (const survivor of survivors) console.log(lineOf(survivor));
}
process.exitCode = low === 0 ? 0 : 1;
