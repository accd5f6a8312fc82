import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort, startServer } from './process.mjs';

/**
 * The limits stay on, because counting calls is part of the work. They are so high that the load never reaches them.
 */
const LIMITS = Object.fromEntries(
  ['ADDRESS', 'MEDIA', 'CHAT', 'TEXT', 'CHALLENGE', 'FREE', 'REFERENCES', 'TOP_UP', 'SIGN_IN'].map((name) => [
    `RATE_LIMIT_${name}`,
    '100000000',
  ]),
);

/** The settings of a service that buys from a bench's upstream. */
export const settingsOf = (upstream) => ({
  SIGNING_SECRET: 'a-secret-for-the-bench-0123456789abcdef',
  OPENAI_BASE_URL: `${upstream.url}/v1`,
  OPENAI_API_KEY: 'a-key-for-the-bench',
  ALLOW_SANDBOX_MIX: 'true',
});

/** The settings of a service that buys from a bench's upstream, and is paid through its facilitator. */
export const settingsBetween = (upstream, facilitator) => ({
  ...settingsOf(upstream),
  X402_FACILITATOR: 'http',
  X402_FACILITATOR_URL: facilitator.url,
  X402_PAY_TO: '0x00000000000000000000000000000000000000aa',
});

/** Starts the real service on its own empty database. It needs the files of `npm run build`. */
export const startService = async (env = {}, flags = [], main = 'dist/src/main.js') => {
  const dataDir = mkdtempSync(join(tmpdir(), 'lamppost-bench-'));
  const port = await freePort();
  const server = await startServer({
    args: [...flags, main],
    port,
    path: '/health/live',
    env: {
      NODE_ENV: 'production',
      LOG_LEVEL: 'warn',
      DATA_DIR: dataDir,
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      ADMIN_TOKEN: 'an-admin-token-for-the-bench',
      ...LIMITS,
      ...env,
    },
  });
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
