// Lets Node run our TypeScript files, with the compiler of the build: node -r ./tools/typescript.cjs src/migrate.ts
const path = require('node:path');

const { transformFileSync } = require('@swc/core');

const cwd = path.join(__dirname, '..');

require.extensions['.ts'] = (module, file) =>
  module._compile(transformFileSync(file, { cwd, sourceMaps: 'inline' }).code, file);
process.setSourceMapsEnabled(true);
