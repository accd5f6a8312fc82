import { buildPages } from './build-pages';
import { type TestServer, prepareTemplate, startTestServer } from './postgres';

declare global {
  var lamppostTestServer: TestServer | undefined;
}

/** One server for the whole run; each spec file clones its own database from the migrated template. */
const globalSetup = async (): Promise<void> => {
  buildPages();
  globalThis.lamppostTestServer = await startTestServer();
  await prepareTemplate(globalThis.lamppostTestServer);
};

export default globalSetup;
