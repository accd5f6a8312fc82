import 'reflect-metadata';
import './engine-flags';

import { isatty } from 'node:tty';

import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

import { Catalog } from './models/catalog/catalog';
import { BadCatalog } from './models/catalog/catalog-file';
import { VendorLists } from './models/catalog/listed/vendor-lists';
import { createApp } from './create-app';
import { missingSecrets } from './faces/doctor/missing-secrets';
import { soldSandbox } from './faces/doctor/sold-sandbox';
import { BadSanctions } from './people/identity/sanctions';
import { CannotListen, portProblem, refuseTakenPort } from './listening-port';
import { stopOnUnhandledError } from './unhandled-errors';
import { LiveSettings } from './live-settings';
import { type Settings, variablesOfProcess } from './settings';
import { unknownSettingsOfProcess } from './unknown-settings';
import { BadSettings } from './platform/config/variables';
import { DatabaseStartError } from './platform/database/database-start-error';
import { startErrorFor } from './platform/database/retry-at-start';
import { migrate } from './platform/database/migrations';
import { type OpenDatabase, openDatabase } from './platform/database/open-database';
import { BadPolicy } from './models/providers/policy/rules-screener';
import { addressLine, startupMessage } from './startup-message';

/** The process exits after this time even if the stop hangs, because it must end within 30 seconds after SIGTERM. */
const STOP_MS_MAX = 29_000;
const PARENT_LOOK_MS = 250;

const listen = async (app: NestFastifyApplication, { http }: Settings): Promise<void> => {
  // Nest's own `listen` would also log the error, so the operator would read it twice.
  await app.init();
  try {
    await app.getHttpAdapter().getInstance().listen({ port: http.port, host: http.host });
  } catch (error) {
    throw portProblem(error, http);
  }
};

const isForPeople = (error: unknown): error is Error =>
  error instanceof CannotListen ||
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

/** The order matters: calls in flight end, then the pools close, and only then may the database stop. */
const stopper = (stop: () => Promise<void>): ((exitCode: number) => void) => {
  let stopping = false;
  return (exitCode) => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_MS_MAX).unref();
    void stop().then(
      () => process.exit(exitCode),
      (error: unknown) => {
        process.stderr.write(`Lamppost did not stop cleanly: ${String(error)}\n`);
        process.exit(1);
      },
    );
  };
};

/** npm may end without passing on its signal. Then this process must end as well. */
const stopWithNpm = (stop: () => void): void => {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent) stop();
  }, PARENT_LOOK_MS).unref();
};

interface Running {
  app?: NestFastifyApplication;
  database?: OpenDatabase;
}

const warnOfStrange = (log: Logger): void => {
  for (const problem of unknownSettingsOfProcess()) log.warn(problem);
};

/** Applies an operator's changes of settings, and logs the changes that need a restart. */
const takeOver = (live: LiveSettings): void => {
  const log = new Logger('Settings');
  try {
    const { taken, waiting } = live.takeOver(variablesOfProcess());
    const what =
      taken.length > 0 ? `New values are in use: ${taken.join(', ')}.` : 'There are no new values.';
    log.log(`The settings were read again. ${what}`);
    if (waiting.length > 0)
      log.warn(`These settings have changed as well, and need a restart: ${waiting.join(', ')}.`);
    warnOfStrange(log);
  } catch (error) {
    log.error(
      `The settings were read again. They are wrong, so the process keeps the present ones. ${(error as Error).message}`,
    );
  }
};

/**
 * In a terminal, SIGHUP means that the terminal was closed, so the process ends. Without a terminal, it means that
 * settings have changed.
 */
const isInTerminal = (): boolean => [0, 1, 2].some((stream) => isatty(stream));

const start = async (live: LiveSettings, running: Running, isStopping: () => boolean): Promise<void> => {
  const settings = live.view();
  await refuseTakenPort(settings);
  running.database = await openDatabase(settings);
  if (isStopping()) return;
  await migrate(running.database.directUrl, { queues: settings.redisUrl === undefined });
  if (isStopping()) return;
  running.app = await createApp(live.view({ databaseUrl: running.database.url }));
  const log = new Logger('Settings');
  warnOfStrange(log);
  for (const problem of [...missingSecrets(settings), ...soldSandbox(settings)]) log.warn(problem);
  await listen(running.app, settings);
};

const end = async ({ app, database }: Running): Promise<void> => {
  try {
    await app?.close();
  } finally {
    await database?.stop();
  }
};

const main = async (): Promise<void> => {
  const live = new LiveSettings(variablesOfProcess());
  const settings = live.view();
  void new Catalog(settings); // An unusable catalog ends the start before anything else happens.
  const running: Running = {};
  let stopping = false;
  const starting = start(live, running, () => stopping);
  const stop = stopper(async () => {
    stopping = true;
    // If the embedded database is starting, the stop must wait for it, to stop it afterwards. It does not wait for
    // another database.
    if (settings.databaseUrl === undefined) await starting.catch(() => undefined);
    await end(running);
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop(0));
  process.on('SIGHUP', () => {
    if (isInTerminal()) return stop(0);
    // If the signal arrives during the start, the settings are read after the start.
    void starting.then(
      () => {
        takeOver(live);
        running.app?.get(VendorLists, { strict: false }).askAgain();
      },
      () => undefined,
    );
  });
  stopWithNpm(() => stop(0));
  stopOnUnhandledError(settings, () => stop(1));
  try {
    await starting;
  } catch (error) {
    if (stopping) return; // The stop has begun already and ends the process.
    await end(running).catch(() => undefined);
    throw startErrorFor(settings, error);
  }
  if (stopping) return;
  const message = startupMessage(settings, running.database?.embedded === true);
  if (message !== '') process.stdout.write(message);
  else new Logger('Start').log(addressLine(settings));
};

main().catch(fail);
