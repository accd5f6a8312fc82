import { secretSetting, urlSetting } from '#platform/config/setting';
import { WireTextProvider } from '#models/providers/text/wire-text.provider';
import { vendor } from '#models/providers/vendor';
import { QUILL_WIRE, judge } from './quill.wire';

export const quill = vendor({
  name: 'quill',
  settings: {
    baseUrl: urlSetting('QUILL_BASE_URL', 'https://api.quill.example/v1'),
    key: secretSetting('QUILL_API_KEY', 'Of the page "Keys" at Quill.'),
  },
  enabledBy: 'QUILL_API_KEY',
  serves: { text: true, modes: [] },
  adapters: ({ name, access }) => ({
    text: new WireTextProvider(
      {
        name,
        baseUrl: access.baseUrl,
        headers: () => ({ authorization: `Bearer ${access.key ?? ''}` }),
        judge,
      },
      QUILL_WIRE,
    ),
  }),
});
