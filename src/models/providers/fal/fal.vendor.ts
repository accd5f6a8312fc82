import { secretSetting, urlSetting } from '#platform/config/setting';
import { MEDIA_MODES } from '../media-mode';
import { vendor } from '../vendor';
import { FalMediaProvider } from './fal-media.provider';
import { makesSize, takesOptionalInputs } from './fal.wire';

export const fal = vendor({
  name: 'fal',
  settings: {
    baseUrl: urlSetting('FAL_BASE_URL', 'https://queue.fal.run'),
    apiUrl: urlSetting('FAL_API_URL', 'https://api.fal.ai/v1', 'The address of the prices of fal.'),
    key: secretSetting('FAL_KEY'),
  },
  enabledBy: 'FAL_KEY',
  serves: { text: false, modes: MEDIA_MODES, makes: makesSize, takes: takesOptionalInputs },
  probe: ({ access: { apiUrl, key } }) => ({
    url: `${apiUrl}/models/pricing?endpoint_id=fal-ai/flux/dev`,
    headers: { authorization: `Key ${key}` },
  }),
  adapters: ({ access }) => ({ media: new FalMediaProvider(access) }),
});
