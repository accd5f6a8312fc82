import './global-setup';

const globalTeardown = async (): Promise<void> => {
  await globalThis.lamppostTestServer?.stop();
  globalThis.lamppostTestServer = undefined; // In watch mode the next run starts its own server.
};

export default globalTeardown;
