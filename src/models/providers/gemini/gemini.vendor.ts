import { secretSetting, urlSetting } from '#platform/config/setting';
import { HeldResults } from '../media/held-result.repository';
import { WireTextProvider } from '../text/wire-text.provider';
import { vendor } from '../vendor';
import { GeminiMediaProvider } from './gemini-media.provider';
import { makesSize, takesOptionalInputs } from './gemini-media.wire';
import { geminiModels } from './gemini-models';
import { GEMINI_WIRE, judge } from './gemini.wire';

const headersOf = ({ key }: { readonly key: string | undefined }) => ({ 'x-goog-api-key': key ?? '' });

export const gemini = vendor({
  name: 'gemini',
  settings: {
    baseUrl: urlSetting('GEMINI_BASE_URL', 'https://generativelanguage.googleapis.com/v1beta'),
    key: secretSetting('GEMINI_API_KEY'),
  },
  enabledBy: 'GEMINI_API_KEY',
  serves: {
    text: true,
    modes: ['t2i', 'i2i', 'swap', 't2v', 'i2v'],
    makes: makesSize,
    takes: takesOptionalInputs,
  },
  parts: [HeldResults],
  book: 'google',
  models: ({ name, access }) =>
    geminiModels({ name, baseUrl: access.baseUrl, headers: () => headersOf(access), judge }),
  probe: ({ access }) => ({ url: `${access.baseUrl}/models`, headers: headersOf(access) }),
  adapters: ({ name, access }, part) => {
    const options = { name, baseUrl: access.baseUrl, headers: () => headersOf(access), judge };
    return {
      text: new WireTextProvider(options, GEMINI_WIRE),
      media: new GeminiMediaProvider(options, part(HeldResults)),
    };
  },
});
