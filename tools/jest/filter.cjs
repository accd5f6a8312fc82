// Installs the packages of test/clients and test/agents before a run that selects a suite of that folder (ADR 93).
// Without these packages, the suites are left out, and the run says why. CI fails instead.
const path = require('node:path');
const { pathToFileURL } = require('node:url');

const ROOT = path.join(__dirname, '..', '..');
const FOLDERS = ['test/clients', 'test/agents'];

/** The reason why the packages of a folder are missing, by the folder. */
const reasons = new Map();

const isIn = (folder) => (file) => file.startsWith(path.join(ROOT, folder) + path.sep);

/** Jest calls this once for each of its projects. */
module.exports = async (files) => {
  let filtered = files;
  for (const folder of FOLDERS.filter((each) => files.some(isIn(each)))) {
    const { installApart } = await import(pathToFileURL(path.join(ROOT, 'tools', 'install-apart.mjs')));
    if (!reasons.has(folder)) reasons.set(folder, installApart(folder));
    const reason = reasons.get(folder);
    if (reason === undefined) continue;
    if (process.env.CI) throw new Error(reason);
    const kept = filtered.filter((file) => !isIn(folder)(file));
    process.stderr.write(`${filtered.length - kept.length} suites of ${folder} are skipped. ${reason}\n`);
    filtered = kept;
  }
  return { filtered };
};
