import 'reflect-metadata';

import { existsSync } from 'node:fs';

import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { Catalog } from './catalog/catalog';
import { BadCatalog } from './catalog/catalog-file';
import { createApp } from './create-app';
import { BadSanctions } from './identity/sanctions';
import { BadSettings, type Settings, readSettings } from './platform/config/settings';
import { DatabaseStartError } from './platform/database/database-start-error';
import { migrate } from './platform/database/migrations';
import { type OpenDatabase, openDatabase } from './platform/database/open-database';
import { BadPolicy } from './providers/policy/rules-policy';
import { welcome } from './welcome';

/** After this long a stop that hangs is cut off: the promise is to be gone within 30 seconds of SIGTERM. */
const STOP_MS_MAX = 29_000;

const listen = async (app: NestFastifyApplication, settings: Settings): Promise<void> => {
  try {
    // Nest's own `listen` would log the error, too, and the operator would read it twice.
    await app.init();
    await app.getHttpAdapter().getInstance().listen({ port: settings.http.port, host: settings.http.host });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const where = `${settings.http.host}:${settings.http.port}`;
    if (code === 'EADDRINUSE') {
      throw new CannotStart(
        `Port ${settings.http.port} is in use. Stop what uses it, or set PORT to another one.`,
      );
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
      throw new CannotStart(
        `Lamppost may not listen on ${where}. Set HOST and PORT to an address of this machine.`,
      );
    }
    throw error;
  }
};

/** A start that failed for a reason that a person can mend: one sentence, no stack. */
class CannotStart extends Error {}

const isForPeople = (error: unknown): error is Error =>
  error instanceof CannotStart ||
  error instanceof BadSettings ||
  error instanceof BadCatalog ||
  error instanceof BadPolicy ||
  error instanceof BadSanctions ||
  error instanceof DatabaseStartError;

const fail = (error: unknown): never => {
  const text = isForPeople(error) ? error.message : ((error as Error)?.stack ?? String(error));
  process.stderr.write(`Lamppost could not start.\n${text}\n`);
  process.exit(1);
};

/** The order matters: calls in flight finish, the pools close, and only then the database may go. */
const stopOnSignal = (stop: () => Promise<void>): void => {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
      void stop().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`Lamppost did not stop cleanly: ${String(error)}\n`);
          process.exit(1);
        },
      );
    });
  }
};

const main = async (): Promise<void> => {
  if (existsSync('.env')) {
    process.loadEnvFile('.env');
  }
  const settings = readSettings(process.env);
  void new Catalog(settings); // One that can't be sold from stops the start before anything else happens.
  let app: NestFastifyApplication | undefined;
  let database: OpenDatabase | undefined;
  stopOnSignal(async () => {
    await app?.close();
    await database?.stop();
  });
  try {
    database = await openDatabase(settings);
    await migrate(database.url, { queues: settings.redisUrl === undefined });
    app = await createApp({ ...settings, databaseUrl: database.url });
    await listen(app, settings);
  } catch (error) {
    await app?.close().catch(() => undefined);
    await database?.stop().catch(() => undefined);
    throw error;
  }
  process.stdout.write(welcome(settings, database.embedded));
};

main().catch(fail);
