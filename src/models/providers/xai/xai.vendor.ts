import { secretSetting, urlSetting } from '#platform/config/setting';
import { HeldResults } from '../media/held-result.repository';
import { authorizationOf } from '../openai/openai-server';
import { modelsAt, xaiModel } from '../openai/openai-models';
import { OpenaiTextProvider } from '../openai/openai-text.provider';
import { judge } from '../openai/openai.wire';
import { vendor } from '../vendor';
import { XaiMediaProvider } from './xai-media.provider';
import { makesSize, takesOptionalInputs } from './xai-media.wire';

export const xai = vendor({
  name: 'xai',
  settings: {
    baseUrl: urlSetting('XAI_BASE_URL', 'https://api.x.ai/v1'),
    key: secretSetting('XAI_API_KEY'),
  },
  enabledBy: 'XAI_API_KEY',
  serves: { text: true, modes: ['t2i', 'i2i', 't2v', 'i2v'], makes: makesSize, takes: takesOptionalInputs },
  parts: [HeldResults],
  book: 'x-ai',
  models: ({ name, access }) =>
    modelsAt({ name, baseUrl: access.baseUrl, headers: () => authorizationOf(access), judge }, xaiModel),
  probe: ({ access }) => ({ url: `${access.baseUrl}/models`, headers: authorizationOf(access) }),
  adapters: ({ name, access }, part) => {
    const options = { name, baseUrl: access.baseUrl, headers: () => authorizationOf(access), judge };
    return {
      text: new OpenaiTextProvider(name, access),
      media: new XaiMediaProvider(options, part(HeldResults)),
    };
  },
});
