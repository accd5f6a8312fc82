import { secretSetting, urlSetting } from '../../../src/platform/config/setting';
import { vendor } from '../../../src/providers/vendor';
import { QuillTextProvider } from './quill-text.provider';

export const quill = vendor({
  name: 'quill',
  settings: {
    baseUrl: urlSetting('QUILL_BASE_URL', 'https://api.quill.example/v1'),
    key: secretSetting('QUILL_API_KEY', 'Of the page "Keys" at Quill.'),
  },
  enabledBy: 'QUILL_API_KEY',
  serves: { text: true, modes: [] },
  adapters: ({ access }) => ({ text: new QuillTextProvider(access) }),
});
