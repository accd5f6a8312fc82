import { type SettingsOf, defineSettings } from '#platform/config/settings';
import { Pattern } from '#platform/config/variables';

const CONTACT = /^(mailto:[^\s,@]+@[^\s,@]+|https:\/\/[^\s,]+)$/;

class DiscoveryVariables {
  @Pattern(CONTACT, 'an address such as mailto:security@example.com or https://example.com/security')
  readonly SECURITY_CONTACT?: string;
}

export const discoverySettings = defineSettings({
  variables: DiscoveryVariables,
  /** The address for reports of holes. If it is undefined, there is no security.txt. */
  read: (env: DiscoveryVariables) => ({ securityContact: env.SECURITY_CONTACT }),
});

export type DiscoverySettings = SettingsOf<typeof discoverySettings>;
