import { secretSetting, urlSetting } from '#platform/config/setting';
import { vendor } from '../vendor';
import { BflMediaProvider } from './bfl-media.provider';
import { makesSize, takesOptionalInputs } from './bfl.wire';

export const bfl = vendor({
  name: 'bfl',
  settings: {
    baseUrl: urlSetting('BFL_BASE_URL', 'https://api.bfl.ai/v1'),
    key: secretSetting('BFL_API_KEY', 'Of Black Forest Labs.'),
  },
  enabledBy: 'BFL_API_KEY',
  serves: { text: false, modes: ['t2i', 'i2i'], makes: makesSize, takes: takesOptionalInputs },
  probe: ({ access: { baseUrl, key } }) => ({
    url: `${baseUrl}/credits`,
    headers: { 'x-key': key ?? '' },
  }),
  adapters: ({ access }) => ({ media: new BflMediaProvider(access) }),
});
