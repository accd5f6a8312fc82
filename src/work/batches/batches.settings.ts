import { Whole } from '#platform/config/variables';
import { type SettingsOf, defineSettings } from '#platform/config/settings';

class BatchVariables {
  @Whole(0, 90) readonly BATCH_DISCOUNT_PERCENT: number = 0;
  @Whole(1, 100) readonly BATCH_CALLS_AT_ONCE: number = 8;
}

export const batchSettings = defineSettings({
  variables: BatchVariables,
  read: (env: BatchVariables) => ({
    batches: { discountPercent: env.BATCH_DISCOUNT_PERCENT, callsAtOnce: env.BATCH_CALLS_AT_ONCE },
  }),
});

export type BatchSettings = SettingsOf<typeof batchSettings>;
