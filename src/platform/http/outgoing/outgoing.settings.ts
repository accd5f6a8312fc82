import { listOf } from '../../config/setting';
import { Text } from '../../config/variables';
import { type SettingsOf, defineSettings } from '../../config/settings';

class OutgoingVariables {
  @Text(4_000) readonly FETCH_ALLOW_HOSTS?: string;
}

export const outgoingSettings = defineSettings({
  variables: OutgoingVariables,
  problems: (env: OutgoingVariables) =>
    listOf(env.FETCH_ALLOW_HOSTS)
      .filter((item) => !URL.canParse(`http://${item}`) || /[/@?#]/.test(item))
      .map((item) => `FETCH_ALLOW_HOSTS must list hosts such as media.internal:8080; ${item} is none`),
  read: (env: OutgoingVariables) => ({ fetchAllowHosts: listOf(env.FETCH_ALLOW_HOSTS) }),
});

export type OutgoingSettings = SettingsOf<typeof outgoingSettings>;
