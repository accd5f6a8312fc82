import { secretSetting, urlSetting } from '#platform/config/setting';
import { vendor } from '../vendor';
import { RunwayMediaProvider } from './runway-media.provider';
import { makesSize, takesOptionalInputs } from './runway.wire';

/** The version of Runway's API that the wire uses. */
const VERSION = '2024-11-06';

export const runway = vendor({
  name: 'runway',
  settings: {
    baseUrl: urlSetting('RUNWAY_BASE_URL', 'https://api.dev.runwayml.com/v1'),
    key: secretSetting('RUNWAY_API_KEY'),
  },
  enabledBy: 'RUNWAY_API_KEY',
  serves: { text: false, modes: ['t2i', 'i2i', 't2v', 'i2v'], makes: makesSize, takes: takesOptionalInputs },
  probe: ({ access: { baseUrl, key } }) => ({
    url: `${baseUrl}/organization`,
    headers: { authorization: `Bearer ${key}`, 'x-runway-version': VERSION },
  }),
  adapters: ({ access }) => ({ media: new RunwayMediaProvider(access, VERSION) }),
});
