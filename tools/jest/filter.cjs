// Installs the packages of test/clients/package.json before a run that selects a suite of that folder (ADR 93). Without
// these packages, the suites are left out, and the run says why. CI fails instead.
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const ROOT = path.join(__dirname, '..', '..');
const CLIENTS = path.join(ROOT, 'test', 'clients') + path.sep;

const usesPackages = (file) => file.startsWith(CLIENTS);

let missing;

/** Jest calls this once for each of its projects. */
module.exports = async (files) => {
  if (!files.some(usesPackages)) return { filtered: files };
  const { installApart } = await import(pathToFileURL(path.join(ROOT, 'tools', 'install-apart.mjs')));
  missing ??= { reason: installApart('test/clients') };
  if (missing.reason === undefined) return { filtered: files };
  if (process.env.CI) throw new Error(missing.reason);
  const filtered = files.filter((file) => !usesPackages(file));
  process.stderr.write(`${files.length - filtered.length} suites are skipped. ${missing.reason}\n`);
  return { filtered };
};
