// Starts dist/service.js. The first start stores the code that V8 has compiled. Later starts use it, because compiling
// is half of a start.
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const FILE = path.join(__dirname, '..', '..', 'dist', 'service.js');
const COMPILED = FILE.replace('.js', '.cache');
const KEPT_AFTER_MS = 2_000;

const script = new vm.Script(Module.wrap(readFileSync(FILE, 'utf8').replace(/^#!.*/, '')), {
  filename: FILE,
  ...(existsSync(COMPILED) ? { cachedData: readFileSync(COMPILED) } : {}),
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
if (script.cachedDataRejected !== false) {
  setTimeout(() => {
    // A rename writes the file completely or not at all, even if several processes write it.
    const own = `${COMPILED}.${process.pid}`;
    writeFileSync(own, script.createCachedData());
    renameSync(own, COMPILED);
  }, KEPT_AFTER_MS).unref();
}
const requireBeside = Module.createRequire(FILE);
script.runInThisContext().call({}, {}, requireBeside, module, FILE, path.dirname(FILE));
