import { credentials } from './billing/rails';
import type { Settings } from './platform/config/settings';
import { createLog } from './platform/telemetry/log';

/** The state of the process is unknown, so it finishes its calls and ends. Its supervisor starts a new one. */
export const stopOnUnhandledError = (settings: Settings, stop: () => void): void => {
  let isLogged = false;
  const end = (error: unknown): void => {
    // Later errors are most likely consequences of the first one.
    if (isLogged) return;
    isLogged = true;
    createLog(settings, credentials()).fatal(
      { err: error instanceof Error ? error : new Error(String(error)) },
      'Unexpected error. The service accepts no more calls, finishes the running ones, and exits.',
    );
    stop();
  };
  for (const kind of ['uncaughtException', 'unhandledRejection'] as const) {
    // A library may have its own handler that throws again, which would end the process in the middle of its calls.
    process.removeAllListeners(kind);
    process.on(kind, end);
  }
};
