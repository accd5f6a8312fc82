// Spec files run in the realm of their worker, beside the packages that the worker has loaded once (see runtime.cjs).
// Properties that a file adds to the global object stay there, so none does.
const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

module.exports = class OneRealm {
  constructor({ projectConfig }) {
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    // A failing test shows its callers, not only the ten innermost ones.
    Error.stackTraceLimit = 100;
  }

  async setup() {}

  async teardown() {
    // Metrics of a test’s own modules are in a registry of the package, which the worker keeps.
    const metrics = require.cache[require.resolve('prom-client')];
    metrics?.exports.register.clear();
    this.fakeTimersModern.dispose();
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return globalThis;
  }
};
