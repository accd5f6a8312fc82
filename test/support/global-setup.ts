import { build } from './build';
import { chromiumPath } from './chromium';
import { type TestServer, prepareTemplate, startTestServer } from './postgres';

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
  globalThis.lamppostTestServer = await startTestServer();
  await prepareTemplate(globalThis.lamppostTestServer);
};

export default globalSetup;
