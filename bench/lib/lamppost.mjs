// The client package, from its sources. A scenario prepares its data with it, but sends the measured calls itself.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('../../tools/typescript.cjs');
export const { Lamppost } = require('../../clients/typescript/src/lamppost.ts');
export const { SignIn } = require('../../clients/typescript/src/wallet.ts');
