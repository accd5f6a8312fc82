// A worker loads packages, and the service if a test starts it, once instead of once for each spec file. Loading was
// most of the time of such a test. Some specs load the service again, so that no spec finds the changes of another: the
// unit specs beside the code, and test/extending and test/nest.
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
/** The one file of the tests that a worker keeps: it compiles the documents’ schemas of every answer. */
const DOCUMENT_CHECK = path.join(ROOT, 'test', 'support', 'document-check');

/** The source lines of compiled code: of this spec file, and of modules that a worker loaded earlier. */
const sourceMaps = new Map();
let runtime;
require.extensions['.ts'] = (module, file) => module._compile(runtime.transformCache.transform(file), file);

const isRelative = (name) => name.startsWith('.') || path.isAbsolute(name);
const isPackage = (name) => !isRelative(name) && !isBuiltin(name) && name !== '@jest/globals';

module.exports = {
  default: class SharedModulesRuntime extends JestRuntime {
    constructor(...args) {
      super(...args);
      runtime = this;
      this.transformCache.sourceMaps = sourceMaps;
      this.sharesService = !ALONE.some((folder) => this._testPath.startsWith(folder));
      // Packages run in the worker’s own realm, so that their errors and arrays have our classes.
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
