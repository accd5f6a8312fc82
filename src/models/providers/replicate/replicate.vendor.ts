import { secretSetting, urlSetting } from '#platform/config/setting';
import { MEDIA_MODES } from '../media-mode';
import { vendor } from '../vendor';
import { ReplicateMediaProvider } from './replicate-media.provider';
import { makesSize, takesOptionalInputs } from './replicate.wire';

export const replicate = vendor({
  name: 'replicate',
  settings: {
    baseUrl: urlSetting('REPLICATE_BASE_URL', 'https://api.replicate.com/v1'),
    key: secretSetting('REPLICATE_API_TOKEN'),
  },
  enabledBy: 'REPLICATE_API_TOKEN',
  serves: { text: false, modes: MEDIA_MODES, makes: makesSize, takes: takesOptionalInputs },
  probe: ({ access: { baseUrl, key } }) => ({
    url: `${baseUrl}/account`,
    headers: { authorization: `Bearer ${key}` },
  }),
  adapters: ({ access }) => ({ media: new ReplicateMediaProvider(access) }),
});
