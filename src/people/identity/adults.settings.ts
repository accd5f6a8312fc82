import { listOf } from '#platform/config/setting';
import { Rotating, Text } from '#platform/config/variables';
import { type SettingsOf, defineSettings } from '#platform/config/settings';

class AdultsVariables {
  @Rotating('adultsAllowed') @Text(40_000) readonly ADULTS_ALLOWED?: string;
}

const OWNER = /^(acc_[\w-]{1,60}|0x[a-fA-F0-9]{40})$/;

export const adultsSettings = defineSettings({
  variables: AdultsVariables,
  problems: (env: AdultsVariables) =>
    listOf(env.ADULTS_ALLOWED).every((owner) => OWNER.test(owner))
      ? []
      : ['ADULTS_ALLOWED must list accounts (acc_…) and wallets (0x and 40 hexadecimal digits)'],
  read: (env: AdultsVariables) => ({
    /** The accounts, and the wallets in lower case, that may use models for adults only. */
    adultsAllowed: listOf(env.ADULTS_ALLOWED).map((owner) =>
      /^0x/i.test(owner) ? owner.toLowerCase() : owner,
    ),
  }),
});

export type AdultsSettings = SettingsOf<typeof adultsSettings>;
