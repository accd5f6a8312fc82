import { build } from './build';
import { chromiumPath } from './chromium';
import { type TestServer, prepareTemplate, startTestServer } from './postgres';

declare global {
  var lamppostTestServer: TestServer | undefined;
}

/** One server for the whole run; each spec file clones its own database from the migrated template. */
const globalSetup = async (): Promise<void> => {
  build();
  if (chromiumPath() === undefined) {
    process.stderr.write('No Chromium is found here: the suites that need a browser are skipped.\n');
  }
  globalThis.lamppostTestServer = await startTestServer();
  await prepareTemplate(globalThis.lamppostTestServer);
};

export default globalSetup;
