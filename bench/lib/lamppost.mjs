// The package that callers install, from its sources, for what a scenario prepares. What is measured is sent by hand.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('../../tools/typescript.cjs');
export const { Lamppost } = require('../../clients/typescript/src/lamppost.ts');
export const { SignIn } = require('../../clients/typescript/src/wallet.ts');
