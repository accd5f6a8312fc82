// Lets Node run our TypeScript files, with the compiler of the build: node -r ./tools/typescript.cjs src/migrate.ts
const { transformFileSync } = require('@swc/core');

require.extensions['.ts'] = (module, file) =>
  module._compile(transformFileSync(file, { sourceMaps: 'inline' }).code, file);
process.setSourceMapsEnabled(true);
