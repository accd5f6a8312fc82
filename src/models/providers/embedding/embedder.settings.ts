import { Choice, Rotating, Text, Url } from '#platform/config/variables';
import { type SettingsOf, defineSettings, needs } from '#platform/config/settings';

class EmbedderVariables {
  @Choice('local', 'http') readonly EMBEDDER: string = 'local';
  @Url() readonly EMBEDDER_URL?: string;
  @Rotating('embedder.key') @Text() readonly EMBEDDER_KEY?: string;
  @Text(200) readonly EMBEDDER_MODEL?: string;
}

export const embedderSettings = defineSettings({
  variables: EmbedderVariables,
  problems: (env: EmbedderVariables) =>
    needs(env, env.EMBEDDER === 'http', 'with EMBEDDER=http', 'EMBEDDER_URL'),
  read: (env: EmbedderVariables) => ({
    embedder: {
      adapter: env.EMBEDDER as 'local' | 'http',
      url: env.EMBEDDER_URL,
      key: env.EMBEDDER_KEY,
      model: env.EMBEDDER_MODEL,
    },
  }),
});

export type EmbedderSettings = SettingsOf<typeof embedderSettings>;
