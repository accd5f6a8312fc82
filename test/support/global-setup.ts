import { build } from './build';
import { chromiumPath } from './chromium';
import { type TestServer, hasTestServer, prepareTemplate, startTestServer } from './postgres';

declare global {
  var lamppostTestServer: TestServer | undefined;
}

/** Starts one database server for the whole run. Each spec file clones its database from the migrated template. */
const globalSetup = async (): Promise<void> => {
  // A run of both kinds of tests sets up twice.
  if (globalThis.lamppostTestServer !== undefined) return;
  build();
  if (chromiumPath() === undefined) {
    process.stderr.write('No Chromium is found here: the suites that need a browser are skipped.\n');
  }
  if (hasTestServer()) return; // A tool that makes many runs keeps one server for all of them.
  globalThis.lamppostTestServer = await startTestServer();
  await prepareTemplate(globalThis.lamppostTestServer);
};

export default globalSetup;
