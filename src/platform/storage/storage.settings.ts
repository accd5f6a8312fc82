import { Choice, Rotating, Text, Url } from '../config/variables';
import { type SettingsOf, defineSettings, needs } from '../config/settings';

class StorageVariables {
  @Choice('disk', 's3') readonly BLOB_STORE: string = 'disk';
  @Url() readonly S3_ENDPOINT?: string;
  @Text(100) readonly S3_REGION: string = 'us-east-1';
  @Text(255) readonly S3_BUCKET?: string;
  /** Without the two keys, the store gets its credentials in another way. */
  @Rotating('blobs.s3.accessKeyId', { switches: true }) @Text() readonly S3_ACCESS_KEY_ID?: string;
  @Rotating('blobs.s3.secretAccessKey', { switches: true }) @Text() readonly S3_SECRET_ACCESS_KEY?: string;
}

export const storageSettings = defineSettings({
  variables: StorageVariables,
  problems: (env: StorageVariables) => needs(env, env.BLOB_STORE === 's3', 'with BLOB_STORE=s3', 'S3_BUCKET'),
  read: (env: StorageVariables) => ({
    blobs: {
      store: env.BLOB_STORE as 'disk' | 's3',
      s3: {
        endpoint: env.S3_ENDPOINT,
        region: env.S3_REGION,
        bucket: env.S3_BUCKET,
        accessKeyId: env.S3_ACCESS_KEY_ID,
        secretAccessKey: env.S3_SECRET_ACCESS_KEY,
      },
    },
  }),
});

export type StorageSettings = SettingsOf<typeof storageSettings>;
