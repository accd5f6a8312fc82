import { Database } from '../../platform/database/database';
import { MEDIA_MODES } from '../media-mode';
import { vendor } from '../vendor';
import { SandboxMediaProvider } from './sandbox-media.provider';
import { SandboxTextProvider } from './sandbox-text.provider';

/** Imitates a real vendor, offline and free of charge. */
export const sandbox = vendor({
  name: 'sandbox',
  settings: {},
  enabledBy: undefined,
  serves: { text: true, modes: MEDIA_MODES },
  adapters: (_own, part) => ({
    media: new SandboxMediaProvider(part(Database)),
    text: new SandboxTextProvider(),
  }),
});
