import { Database } from '#platform/database/database';
import { MEDIA_MODES } from '../media-mode';
import { vendor } from '../vendor';
import { OPTIONAL_INPUTS_OF } from '../optional-inputs';
import { SANDBOX_SPEECH, SandboxAudioProvider } from './sandbox-audio.provider';
import { SandboxMediaProvider } from './sandbox-media.provider';
import { SandboxTextProvider } from './sandbox-text.provider';

/** Imitates a real vendor, offline and free of charge. */
export const sandbox = vendor({
  name: 'sandbox',
  settings: {},
  enabledBy: undefined,
  serves: {
    text: true,
    modes: MEDIA_MODES,
    takes: (mode) => OPTIONAL_INPUTS_OF[mode],
    speaks: SANDBOX_SPEECH,
    transcribes: true,
  },
  adapters: (_own, part) => ({
    media: new SandboxMediaProvider(part(Database)),
    text: new SandboxTextProvider(),
    audio: new SandboxAudioProvider(),
  }),
});
