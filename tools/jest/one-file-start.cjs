// Starts dist/service.js. The first start stores the code that V8 compiled for later starts, because compiling is half
// of a start.
const { existsSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { setFlagsFromString } = require('node:v8');
const vm = require('node:vm');

const FILE = path.join(__dirname, '..', '..', 'dist', 'service.js');
// V8 accepts stored code only under the flags under which it was stored. src/main.ts sets this one.
setFlagsFromString('--no-allocation-site-pretenuring');
const COMPILED = FILE.replace('.js', process.execArgv.includes('--no-opt') ? '.no-opt.cache' : '.cache');
/** Only code that ran is stored, and a start on a busy machine takes this long. */
const STARTED_SECONDS = 6;

const known = existsSync(COMPILED) ? readFileSync(COMPILED) : undefined;
const script = new vm.Script(Module.wrap(readFileSync(FILE, 'utf8').replace(/^#!.*/, '')), {
  filename: FILE,
  cachedData: known,
  importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});

/** Another process may have been first. The file is written completely or not at all. */
const keep = () => {
  process.off('exit', keep);
  if (process.uptime() < STARTED_SECONDS || (known === undefined && existsSync(COMPILED))) return;
  const own = `${COMPILED}.${process.pid}`;
  writeFileSync(own, script.createCachedData());
  renameSync(own, COMPILED);
};
if (known === undefined || script.cachedDataRejected) {
  process.on('exit', keep);
  setTimeout(keep, (STARTED_SECONDS + 0.5) * 1_000).unref();
}

const requireBeside = Module.createRequire(FILE);
script.runInThisContext().call({}, {}, requireBeside, module, FILE, path.dirname(FILE));
