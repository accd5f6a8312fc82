import { nameSetting, optionalUrlSetting, secretSetting } from '#platform/config/setting';
import { WireTextProvider } from '../text/wire-text.provider';
import { vendor } from '../vendor';
import { bedrockModels } from './bedrock-models';
import { BEDROCK_WIRE, judge } from './bedrock.wire';
import { signerOf } from './signature';

/** The models of many makers at Amazon Bedrock, by its Converse API. */
export const bedrock = vendor({
  name: 'bedrock',
  settings: {
    region: nameSetting('BEDROCK_REGION', 'us-east-1', 'Amazon Bedrock.'),
    baseUrl: optionalUrlSetting('BEDROCK_BASE_URL', 'Default: the address of the region.'),
    keyId: secretSetting('BEDROCK_ACCESS_KEY_ID'),
    secret: secretSetting('BEDROCK_SECRET_ACCESS_KEY'),
    session: secretSetting('BEDROCK_SESSION_TOKEN', 'Only for temporary keys.'),
  },
  enabledBy: 'BEDROCK_ACCESS_KEY_ID',
  serves: { text: true, modes: [] },
  book: 'aws',
  models: ({ name, access }) =>
    bedrockModels({
      name,
      baseUrl: access.baseUrl ?? `https://bedrock.${access.region}.amazonaws.com`,
      headers: () => ({}),
      authorize: signerOf(() => access),
      judge,
    }),
  adapters: ({ name, access }) => {
    const { region } = access;
    const options = {
      name,
      baseUrl: access.baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`,
      headers: () => ({}),
      authorize: signerOf(() => access),
      judge,
    };
    return { text: new WireTextProvider(options, BEDROCK_WIRE) };
  },
});
