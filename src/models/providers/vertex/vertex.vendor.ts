import { nameSetting, secretJsonSetting, urlSetting } from '#platform/config/setting';
import { vertexModels } from '../gemini/gemini-models';
import { GEMINI_WIRE, judge } from '../gemini/gemini.wire';
import { WireTextProvider } from '../text/wire-text.provider';
import { vendor } from '../vendor';
import { AccessToken, serviceAccountIn } from './access-token';

/** Gemini's models at Google Cloud: the same requests at another address, with the token of a service account. */
export const vertex = vendor({
  name: 'vertex',
  settings: {
    baseUrl: urlSetting(
      'VERTEX_BASE_URL',
      'https://aiplatform.googleapis.com/v1',
      'Google Vertex AI. A region has an address of its own, such as https://europe-west4-aiplatform.googleapis.com/v1.',
    ),
    location: nameSetting('VERTEX_LOCATION', 'global'),
    project: nameSetting('VERTEX_PROJECT', undefined, 'The id of the project in Google Cloud.'),
    account: secretJsonSetting(
      'VERTEX_SERVICE_ACCOUNT',
      'the key file of a service account as one line of JSON',
      serviceAccountIn,
      'The key file of a service account with the role Vertex AI User, as one line of JSON.',
    ),
  },
  enabledBy: 'VERTEX_PROJECT',
  serves: { text: true, modes: [] },
  book: 'google',
  models: ({ name, access }) => {
    const token = new AccessToken(name, () => access.account);
    return vertexModels({
      name,
      baseUrl: access.baseUrl,
      headers: () => ({ 'x-goog-user-project': access.project ?? '' }),
      authorize: async () => ({ authorization: `Bearer ${await token.get()}` }),
      judge,
    });
  },
  adapters: ({ name, access }) => {
    const token = new AccessToken(name, () => access.account);
    const path = `projects/${access.project ?? ''}/locations/${access.location}/publishers/google`;
    const options = {
      name,
      baseUrl: `${access.baseUrl.replace(/\/+$/, '')}/${path}`,
      headers: () => ({}),
      authorize: async () => ({ authorization: `Bearer ${await token.get()}` }),
      judge,
    };
    return { text: new WireTextProvider(options, GEMINI_WIRE) };
  },
});
