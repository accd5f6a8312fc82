// Spec files run in the realm of their worker, together with the packages that the worker loads only once (see
// runtime.cjs). A property that a file adds to the global object would stay for the next file, so no file may add one.
const { appendFileSync, readFileSync } = require('node:fs');
const path = require('node:path');

const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');
const { Client } = require('pg');

const ROOT = path.join(__dirname, '..', '..');

/**
 * Drops the databases of a finished spec file. It does so only in memory: on a disk, the drop would take longer than
 * the creation, so the databases stay.
 */
const dropDatabases = async () => {
  const { LAMPPOST_TEST_SERVER: connectionString, LAMPPOST_TEST_MEMORY: folder } = process.env;
  if (!connectionString || !folder?.startsWith('/dev/shm')) return;
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
      `t_${process.pid}_`,
    ]);
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  } finally {
    await client.end();
  }
};

const exit = process.exit.bind(process);

/**
 * Jest keeps the tests of a file and its event handlers in the global object, and wraps `process.exit`. Here both
 * outlive the file, and would keep everything that the file has loaded.
 */
const forgetEarlierTests = () => {
  process.exit = exit;
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
    if (['EVENT_HANDLERS', 'JEST_STATE_SYMBOL'].includes(symbol.description)) delete globalThis[symbol];
  }
};

/** The processor seconds of the child processes that have ended. Linux counts them in hundredths. */
const secondsOfChildren = () => {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1).split(' ');
    return (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return 0;
  }
};

/** With `TEST_COSTS=FILE`, appends the processor seconds of each spec file and of its processes to that file. */
const noteCost = (testPath, began, childrenBegan) => {
  const { TEST_COSTS: file } = process.env;
  if (!file) return;
  const { user, system } = process.cpuUsage(began);
  const children = secondsOfChildren() - childrenBegan;
  const own = (user + system) / 1e6;
  appendFileSync(
    file,
    `${(own + children).toFixed(1)} of which ${own.toFixed(1)} in jest: ${path.relative(ROOT, testPath)}\n`,
  );
};

module.exports = class OneRealm {
  constructor({ projectConfig }, { testPath }) {
    this.testPath = testPath;
    forgetEarlierTests();
    this.began = process.cpuUsage();
    this.childrenBegan = secondsOfChildren();
    this.global = globalThis;
    this.moduleMocker = new ModuleMocker(globalThis);
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
    // The stack of a failing test shows all callers instead of only the innermost ten.
    Error.stackTraceLimit = 100;
  }

  async setup() {}

  async teardown() {
    // A test’s own modules add metrics to the global registry of the package. The worker keeps this registry between
    // files, so it must be cleared.
    const metrics = require.cache[require.resolve('prom-client')];
    metrics?.exports.register.clear();
    this.fakeTimersModern.dispose();
    await dropDatabases();
    noteCost(this.testPath, this.began, this.childrenBegan);
  }

  exportConditions() {
    return ['node', 'node-addons'];
  }

  getVmContext() {
    return globalThis;
  }
};
