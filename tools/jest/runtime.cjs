// A worker loads the packages only once instead of once for each spec file. The same applies to the service, if a test
// starts it. Loading was most of the time of such a test. Some specs load the service again, so that they do not see
// the changes of other specs. These are the unit specs beside the code, and the specs in test/extending and test/nest.
const { statSync } = require('node:fs');
const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { compileFunction, constants } = require('node:vm');

const { default: JestRuntime } = require('jest-runtime');

const ROOT = path.join(__dirname, '..', '..');
const SERVICE = path.join(ROOT, 'src') + path.sep;
const EXTENDING = path.join(ROOT, 'test', 'extending') + path.sep;
/** A team's module, which declares operations and joins the list of features. */
const TEAMS = path.join(ROOT, 'test', 'nest') + path.sep;
const ALONE = [SERVICE, EXTENDING, TEAMS];
/** The only file of the tests that a worker keeps, because it compiles the documents’ schemas of every answer. */
const DOCUMENT_CHECK = path.join(ROOT, 'test', 'support', 'document-check');

/** The source maps of compiled code: of this spec file, and of modules that the worker loaded earlier. */
const sourceMaps = new Map();
let runtime;
require.extensions['.ts'] = (module, file) => module._compile(runtime.transformCache.transform(file), file);

let loadedSince = Date.now();

/** In watch mode this process outlives a change of the service, so it must load the service again. */
const forgetChangedService = () => {
  const files = Object.keys(require.cache).filter(
    (file) => file.startsWith(SERVICE) || file === `${DOCUMENT_CHECK}.ts`,
  );
  const isChanged = (file) => !(statSync(file, { throwIfNoEntry: false })?.mtimeMs < loadedSince);
  if (!files.some(isChanged)) return;
  loadedSince = Date.now();
  for (const file of files) delete require.cache[file];
};

const isRelative = (name) => name.startsWith('.') || path.isAbsolute(name);
const isPackage = (name) => !isRelative(name) && !isBuiltin(name) && name !== '@jest/globals';

module.exports = {
  default: class SharedModulesRuntime extends JestRuntime {
    constructor(...args) {
      super(...args);
      runtime = this;
      const [, , , , , , , { watch, watchAll }] = args;
      if (watch || watchAll) forgetChangedService();
      this.transformCache.sourceMaps = sourceMaps;
      this.sharesService = !ALONE.some((folder) => this._testPath.startsWith(folder));
      // Packages run in the worker’s own realm, so that their errors and arrays have the same classes as ours.
      this.executor.compile = (source, filename) =>
        compileFunction(source, this.executor.injectedModuleParameters, {
          filename,
          importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
        });
    }

    isShared(from, name) {
      if (isPackage(name)) return true;
      if (!this.sharesService || !isRelative(name)) return false;
      const file = path.resolve(from, '..', name);
      if (file.startsWith(EXTENDING))
        throw new Error('A spec that extends the service belongs in test/extending.');
      return file.startsWith(SERVICE) || file === DOCUMENT_CHECK;
    }

    requireModuleOrMock(from, name) {
      return this.isShared(from, name) ? createRequire(from)(name) : super.requireModuleOrMock(from, name);
    }
  },
  __esModule: true,
};
