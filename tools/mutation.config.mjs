// Changes the pure files of money, keys and sign-ins in every small way there is, and runs their unit tests against each
// change: `npm run mutation`. What survives is a line that no test holds. The statements of money, which only a database
// can judge, have their mutants made by hand: `npm run seeded-bugs`.
import { readFileSync } from 'node:fs';

const { jest } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const unit = jest.projects.find(({ displayName }) => displayName === 'unit');

export default {
  mutate: [
    'src/kernel/{money,nearest,slots,wallet-address}.ts',
    'src/catalog/{catalog-file,chat-pricing,media-pricing,pricing}.ts',
    'src/billing/calls/answer-vault.ts',
    'src/billing/ledger/account-id.ts',
    'src/billing/quotes/price-lock.ts',
    'src/billing/receipts/receipt-signer.ts',
    'src/billing/rails/x402/{authorization-digest,body-outline,payment-fault,payment-header,payment-quote,requirements}.ts',
    'src/identity/{sign-in-header,sign-in-message}.ts',
    'src/keys/{api-key,key-format,key-header}.ts',
  ],
  testRunner: 'jest',
  jest: {
    projectType: 'custom',
    config: { ...unit, testMatch: ['<rootDir>/src/{kernel,catalog,billing,identity,keys}/**/*.spec.ts'] },
    enableFindRelatedTests: true,
  },
  coverageAnalysis: 'perTest',
  // What runs once while a file is loaded can't be told apart by test; each such change would run them all.
  ignoreStatic: true,
  timeoutMS: 4_000,
  concurrency: 2,
  reporters: ['clear-text', 'progress'],
  clearTextReporter: { reportTests: false, logTests: false, allowColor: false },
  thresholds: { high: 95, low: 85, break: 85 },
  tempDirName: '.mutation',
  ignorePatterns: ['dist', 'docs', 'bench', '.data', '.ci'],
  // What a message says is no behaviour that a program relies on.
  mutator: { excludedMutations: ['StringLiteral'] },
};
