import { secretSetting, urlSetting } from '#platform/config/setting';
import { vendor } from '#models/providers/vendor';
import { AcmeMediaProvider } from './acme-media.provider';
import { makesSize } from './acme.wire';

export const acme = vendor({
  name: 'acme',
  settings: {
    baseUrl: urlSetting('ACME_BASE_URL', 'https://api.acme.example/v1'),
    key: secretSetting('ACME_API_KEY', 'Of the page "API keys" at Acme.'),
  },
  enabledBy: 'ACME_API_KEY',
  serves: { text: false, modes: ['t2i', 'i2i'], makes: makesSize },
  adapters: ({ access }) => ({ media: new AcmeMediaProvider(access) }),
});
