import { secretSetting, urlSetting } from '../../platform/config/setting';
import { WireTextProvider } from '../text/wire-text.provider';
import { vendor } from '../vendor';
import { GEMINI_WIRE, judge } from './gemini.wire';

const headersOf = ({ key }: { readonly key: string | undefined }) => ({ 'x-goog-api-key': key ?? '' });

export const gemini = vendor({
  name: 'gemini',
  settings: {
    baseUrl: urlSetting('GEMINI_BASE_URL', 'https://generativelanguage.googleapis.com/v1beta'),
    key: secretSetting('GEMINI_API_KEY'),
  },
  enabledBy: 'GEMINI_API_KEY',
  serves: { text: true, modes: [] },
  probe: ({ access }) => ({ url: `${access.baseUrl}/models`, headers: headersOf(access) }),
  adapters: ({ name, access }) => ({
    text: new WireTextProvider(
      { name, baseUrl: access.baseUrl, headers: () => headersOf(access), judge },
      GEMINI_WIRE,
    ),
  }),
});
