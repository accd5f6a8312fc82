import { secretSetting, urlSetting } from '#platform/config/setting';
import { WireTextProvider } from '../text/wire-text.provider';
import { vendor } from '../vendor';
import { anthropicModels } from './anthropic-models';
import { ANTHROPIC_WIRE, judge } from './anthropic.wire';

/** The version of Anthropic's API that the wire uses. */
const VERSION = '2023-06-01';

const headersOf = ({ key }: { readonly key: string | undefined }) => ({
  'x-api-key': key ?? '',
  'anthropic-version': VERSION,
});

export const anthropic = vendor({
  name: 'anthropic',
  settings: {
    baseUrl: urlSetting('ANTHROPIC_BASE_URL', 'https://api.anthropic.com/v1'),
    key: secretSetting('ANTHROPIC_API_KEY'),
  },
  enabledBy: 'ANTHROPIC_API_KEY',
  serves: { text: true, modes: [] },
  book: 'anthropic',
  models: ({ name, access }) =>
    anthropicModels({ name, baseUrl: access.baseUrl, headers: () => headersOf(access), judge }),
  probe: ({ access }) => ({ url: `${access.baseUrl}/models`, headers: headersOf(access) }),
  adapters: ({ name, access }) => ({
    text: new WireTextProvider(
      { name, baseUrl: access.baseUrl, headers: () => headersOf(access), judge },
      ANTHROPIC_WIRE,
    ),
  }),
});
