// Lets Node run our TypeScript as it stands, by the compiler that builds it: node -r ./tools/typescript.cjs src/migrate.ts
const { transformFileSync } = require('@swc/core');

require.extensions['.ts'] = (module, file) =>
  module._compile(transformFileSync(file, { sourceMaps: 'inline' }).code, file);
process.setSourceMapsEnabled(true);
