import { Flag, Text } from '../platform/config/variables';
import { type SettingsOf, defineSettings } from '../platform/config/settings';

class CatalogVariables {
  @Text() readonly CATALOG_FILE?: string;
  @Flag() readonly LIVE_COSTS: boolean = true;
}

export const catalogSettings = defineSettings({
  variables: CatalogVariables,
  read: (env: CatalogVariables) => ({ catalogFile: env.CATALOG_FILE, liveCosts: env.LIVE_COSTS }),
});

export type CatalogSettings = SettingsOf<typeof catalogSettings>;
