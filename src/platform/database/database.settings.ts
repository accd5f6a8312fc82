import { Pattern, Text, Whole } from '../config/variables';
import { type SettingsOf, defineSettings, needs } from '../config/settings';

export class DatabaseVariables {
  @Pattern(/^postgres(ql)?:\/\//, 'a postgres:// address') readonly DATABASE_URL?: string;
  @Pattern(/^postgres(ql)?:\/\//, 'a postgres:// address') readonly DATABASE_DIRECT_URL?: string;
  @Whole(2, 1_000) readonly DATABASE_CONNECTIONS: number = 20;
  @Pattern(/^rediss?:\/\//, 'a redis:// address') readonly REDIS_URL?: string;
  @Text() readonly DATA_DIR: string = '.data';
}

/** The database of rows and queues, and the folder of data. Commands that only use the database read these alone. */
export const databaseSettings = defineSettings({
  variables: DatabaseVariables,
  problems: (env: DatabaseVariables) =>
    needs(env, env.DATABASE_DIRECT_URL !== undefined, 'with DATABASE_DIRECT_URL', 'DATABASE_URL'),
  read: (env: DatabaseVariables) => ({
    databaseUrl: env.DATABASE_URL,
    /** The database server itself, if `databaseUrl` is the address of a pooler. */
    databaseDirectUrl: env.DATABASE_DIRECT_URL,
    /** The most connections of a process for statements; queues and notifications have a few more. */
    databaseConnections: env.DATABASE_CONNECTIONS,
    redisUrl: env.REDIS_URL,
    dataDir: env.DATA_DIR,
  }),
});

export type DatabaseSettings = SettingsOf<typeof databaseSettings>;
