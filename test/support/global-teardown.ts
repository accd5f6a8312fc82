import './global-setup';

const globalTeardown = async (): Promise<void> => {
  await globalThis.lamppostTestServer?.stop();
};

export default globalTeardown;
