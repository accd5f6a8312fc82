// Packages are loaded once for a worker instead of once for each spec file: for a test that starts the service that is
// most of its time. Our own modules are still loaded anew for each file, so that none finds what another has left.
const { createRequire, isBuiltin } = require('node:module');
const path = require('node:path');
const { compileFunction, constants } = require('node:vm');

const { default: JestRuntime } = require('jest-runtime');

const isPackage = (name) =>
  !name.startsWith('.') && !path.isAbsolute(name) && !isBuiltin(name) && name !== '@jest/globals';

module.exports = {
  default: class SharedPackagesRuntime extends JestRuntime {
    constructor(...args) {
      super(...args);
      // In the worker's own realm: an error or an array of a package is one of ours.
      this.executor.compile = (source, filename) =>
        compileFunction(source, this.executor.injectedModuleParameters, {
          filename,
          importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
        });
    }

    requireModuleOrMock(from, name) {
      return isPackage(name) ? createRequire(from)(name) : super.requireModuleOrMock(from, name);
    }
  },
  __esModule: true,
};
