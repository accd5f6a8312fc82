import { listOf } from '#platform/config/setting';
import { type CommonSettings, type SettingsOf, defineSettings, needs } from '#platform/config/settings';
import { Flag, Pattern, Text } from '#platform/config/variables';

/** Names of models at their vendors, with `*` for any characters. */
const PATTERNS = /^[\w.:/@*, -]{1,2000}$/;
const PATTERNS_RULE = 'patterns such as anthropic/*,openai/gpt-5*';

class CatalogVariables {
  @Text() readonly CATALOG_FILE?: string;
  @Pattern(/^(auto|file|retail)$/, 'auto, file or retail') readonly CATALOG?: 'auto' | 'file' | 'retail';
  @Pattern(PATTERNS, PATTERNS_RULE) readonly CATALOG_ONLY?: string;
  @Pattern(PATTERNS, PATTERNS_RULE) readonly CATALOG_WITHOUT?: string;
  @Flag() readonly LIVE_COSTS: boolean = true;
}

/** Such a pattern matches no model. With CATALOG_WITHOUT, all models would be sold. */
const withoutVendor = (name: string, patterns: string | undefined): readonly string[] =>
  listOf(patterns)
    .filter((pattern) => !pattern.includes('/') && !pattern.startsWith('*'))
    .map((pattern) => `${name} has a pattern without a vendor: ${pattern}. Did you mean */${pattern}?`);

export const catalogSettings = defineSettings({
  variables: CatalogVariables,
  read: (env: CatalogVariables) => ({
    catalogFile: env.CATALOG === 'retail' ? undefined : env.CATALOG_FILE,
    catalog: env.CATALOG,
    catalogOnly: listOf(env.CATALOG_ONLY),
    catalogWithout: listOf(env.CATALOG_WITHOUT),
    liveCosts: env.LIVE_COSTS,
  }),
  problems: (env: CatalogVariables) => [
    ...needs(env, env.CATALOG === 'file', 'for CATALOG=file', 'CATALOG_FILE'),
    ...withoutVendor('CATALOG_ONLY', env.CATALOG_ONLY),
    ...withoutVendor('CATALOG_WITHOUT', env.CATALOG_WITHOUT),
  ],
});

export type CatalogSettings = SettingsOf<typeof catalogSettings>;

/** Whether the lists of vendors add models to the catalog. By default they do for real vendors without a file. */
export const isAutomatic = ({ catalog, catalogFile, providers }: CatalogSettings & CommonSettings): boolean =>
  catalog === undefined
    ? catalogFile === undefined && providers.some(({ isOn, enabledBy }) => isOn && enabledBy !== undefined)
    : catalog === 'auto';
