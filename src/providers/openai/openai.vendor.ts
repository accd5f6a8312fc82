import { urlSetting } from '../../platform/config/setting';
import { vendor } from '../vendor';
import { HeldResults } from './held-result.repository';
import { OpenaiMediaProvider } from './openai-media.provider';
import { OpenaiPolicy } from './openai-policy';
import { SERVES, authorizationOf, serverSettings } from './openai-server';
import { OpenaiTextProvider } from './openai-text.provider';

export const openai = vendor({
  name: 'openai',
  settings: serverSettings(
    'OPENAI',
    urlSetting('OPENAI_BASE_URL', 'https://api.openai.com/v1'),
    'In what the server differs from OpenAI, separated by commas: max_completion_tokens (it knows the limit of tokens by',
    'this name only), no_stream_options (it refuses them, so that tokens are estimated), usage_cost (it bills in USD there).',
  ),
  enabledBy: 'OPENAI_API_KEY',
  serves: SERVES,
  parts: [HeldResults],
  adapters: ({ name, access }, part) => ({
    media: new OpenaiMediaProvider(name, access, part(HeldResults)),
    text: new OpenaiTextProvider(name, access),
  }),
  probe: ({ access }) => ({ url: `${access.baseUrl}/models`, headers: authorizationOf(access) }),
  policy: ({ access }, known) => new OpenaiPolicy(access, known),
});
