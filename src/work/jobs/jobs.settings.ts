import { Whole } from '#platform/config/variables';
import { type SettingsOf, defineSettings } from '#platform/config/settings';

class JobVariables {
  @Whole(1, 600) readonly MEDIA_SYNC_SECONDS: number = 100;
  @Whole(10, 86_400) readonly JOB_DEADLINE_SECONDS: number = 1_800;
  @Whole(1, 3_650) readonly MEDIA_RETENTION_DAYS: number = 30;
}

export const jobSettings = defineSettings({
  variables: JobVariables,
  read: (env: JobVariables) => ({
    http: { syncSeconds: env.MEDIA_SYNC_SECONDS },
    media: { jobDeadlineSeconds: env.JOB_DEADLINE_SECONDS, retentionDays: env.MEDIA_RETENTION_DAYS },
  }),
});

export type JobSettings = SettingsOf<typeof jobSettings>;
