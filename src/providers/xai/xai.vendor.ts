import { secretSetting, urlSetting } from '../../platform/config/setting';
import { authorizationOf } from '../openai/openai-server';
import { OpenaiTextProvider } from '../openai/openai-text.provider';
import { vendor } from '../vendor';

export const xai = vendor({
  name: 'xai',
  settings: {
    baseUrl: urlSetting('XAI_BASE_URL', 'https://api.x.ai/v1'),
    key: secretSetting('XAI_API_KEY'),
  },
  enabledBy: 'XAI_API_KEY',
  serves: { text: true, modes: [] },
  probe: ({ access }) => ({ url: `${access.baseUrl}/models`, headers: authorizationOf(access) }),
  adapters: ({ name, access }) => ({ text: new OpenaiTextProvider(name, access) }),
});
