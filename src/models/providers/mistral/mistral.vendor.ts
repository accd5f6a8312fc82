import { secretSetting, urlSetting } from '#platform/config/setting';
import { authorizationOf } from '../openai/openai-server';
import { modelsAt, mistralModel } from '../openai/openai-models';
import { OpenaiTextProvider } from '../openai/openai-text.provider';
import { judge } from '../openai/openai.wire';
import { vendor } from '../vendor';
import { toMistral } from './mistral.wire';

export const mistral = vendor({
  name: 'mistral',
  settings: {
    baseUrl: urlSetting('MISTRAL_BASE_URL', 'https://api.mistral.ai/v1'),
    key: secretSetting('MISTRAL_API_KEY'),
  },
  enabledBy: 'MISTRAL_API_KEY',
  serves: { text: true, modes: [] },
  book: 'mistral',
  models: ({ name, access }) =>
    modelsAt({ name, baseUrl: access.baseUrl, headers: () => authorizationOf(access), judge }, mistralModel),
  probe: ({ access }) => ({ url: `${access.baseUrl}/models`, headers: authorizationOf(access) }),
  adapters: ({ name, access }) => ({ text: new OpenaiTextProvider(name, access, toMistral) }),
});
