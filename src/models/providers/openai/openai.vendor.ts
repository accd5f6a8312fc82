import { urlSetting } from '#platform/config/setting';
import { vendor } from '../vendor';
import { HeldResults } from '../media/held-result.repository';
import { OpenaiAudioProvider } from './openai-audio.provider';
import { OpenaiMediaProvider } from './openai-media.provider';
import { OpenaiScreener } from './openai-screener';
import { SERVES, authorizationOf, serverSettings } from './openai-server';
import { modelsAt, openaiModel } from './openai-models';
import { OpenaiTextProvider } from './openai-text.provider';
import { judge } from './openai.wire';

export const openai = vendor({
  name: 'openai',
  settings: serverSettings(
    'OPENAI',
    urlSetting('OPENAI_BASE_URL', 'https://api.openai.com/v1'),
    'Differences of the server from OpenAI, separated by commas: max_completion_tokens (the token limit has only',
    'this name), no_stream_options (unsupported, so tokens are estimated), usage_cost (its bill, in USD, is in the usage),',
    'responses (it has the Responses API; api.openai.com needs no word for it).',
  ),
  enabledBy: 'OPENAI_API_KEY',
  serves: SERVES,
  parts: [HeldResults],
  adapters: ({ name, access }, part) => ({
    media: new OpenaiMediaProvider(name, access, part(HeldResults)),
    text: new OpenaiTextProvider(name, access),
    audio: new OpenaiAudioProvider(name, access),
  }),
  book: 'openai',
  models: ({ name, access }) =>
    modelsAt({ name, baseUrl: access.baseUrl, headers: () => authorizationOf(access), judge }, openaiModel),
  probe: ({ access }) => ({ url: `${access.baseUrl}/models`, headers: authorizationOf(access) }),
  screener: ({ access }, known) => new OpenaiScreener(access, known),
});
