import { join } from 'node:path';

import { SECRET_FILE } from '#platform/config/signing-keys';
import { isSandboxOn } from '#models/providers/vendors';
import type { Settings } from '../../settings';

/** Whether every part is a sandbox, so that no call costs or brings real money. */
export const isPlay = (settings: Settings): boolean =>
  isSandboxOn(settings) &&
  settings.x402.facilitator === 'sandbox' &&
  settings.billing.processor === 'sandbox';

/** The secrets that a service with real money lacks, with the consequences. A sandbox needs no secrets of its operator. */
export const missingSecrets = (settings: Settings): readonly string[] => {
  if (isPlay(settings)) return [];
  return [
    ...(settings.signingSecret === undefined
      ? [
          `SIGNING_SECRET is not set, so the service uses the secret in ${join(settings.dataDir, SECRET_FILE)}: ` +
            'back up this file, or copy its text to SIGNING_SECRET',
        ]
      : []),
    ...(settings.role !== 'worker' && settings.admins.length === 0
      ? ['neither ADMIN_TOKEN nor ADMIN_TOKENS is set, so nobody can use /admin']
      : []),
  ];
};
