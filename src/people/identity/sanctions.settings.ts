import { listOf } from '#platform/config/setting';
import { Pattern, Text } from '#platform/config/variables';
import { type SettingsOf, defineSettings } from '#platform/config/settings';

class SanctionsVariables {
  @Pattern(
    /^(none|[A-Z]{2}(-[A-Z0-9]{1,3})?(,[A-Z]{2}(-[A-Z0-9]{1,3})?)*)$/,
    'codes such as CU,UA-43, or none',
  )
  readonly SANCTIONED_REGIONS: string = 'CU,IR,KP,SY,UA-43,UA-14,UA-09';
  @Text() readonly SANCTIONED_WALLETS_FILE?: string;
  @Pattern(/^[A-Za-z0-9-]{1,100}$/, 'a header name') readonly REGION_HEADER?: string;
  @Text() readonly GEOIP_FILE?: string;
}

export const sanctionsSettings = defineSettings({
  variables: SanctionsVariables,
  read: (env: SanctionsVariables) => ({
    regions: {
      sanctioned: env.SANCTIONED_REGIONS === 'none' ? [] : listOf(env.SANCTIONED_REGIONS),
      walletsFile: env.SANCTIONED_WALLETS_FILE,
      header: env.REGION_HEADER?.toLowerCase(),
      geoipFile: env.GEOIP_FILE,
    },
  }),
});

export type SanctionsSettings = SettingsOf<typeof sanctionsSettings>;
